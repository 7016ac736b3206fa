// What every driver does with its client once it is connected; prints what it found as one JSON document.
const place = { scope: 'user', area: 'clients' };

async function used(client, name) {
  const call = async (tool, args) => {
    const result = await client.callTool({ name: tool, arguments: args });
    return { payload: result.structuredContent, text: result.content[0].text, isError: Boolean(result.isError) };
  };
  const file = { ...place, name };
  const body = { content: '- [stated] {"is": "text"}\n', description: 'd', aliases: ['墨'], expected_version: null };
  const written = await call('write_file', { ...file, ...body });
  const read = await call('read_file', file);
  const again = await call('write_file', { ...file, ...body });
  const index = await call('get_memory_index', {});
  const unknown = await client.callTool({ name: 'no_such_tool', arguments: {} }).catch((error) => ({ isError: true, error }));
  const { tools } = await client.listTools();
  return {
    tools: tools.map((tool) => tool.name),
    annotated: tools.every((tool) => tool.annotations && 'readOnlyHint' in tool.annotations),
    content: read.payload.content,
    same: JSON.stringify(read.payload) === JSON.stringify(written.payload),
    text_is_payload: JSON.stringify(JSON.parse(read.text)) === JSON.stringify(read.payload),
    conflict: again.payload.error,
    conflict_is_error: again.isError,
    indexed: index.payload.entries.some((entry) => entry.name === name),
    unknown_is_error: Boolean(unknown.isError),
  };
}

// `connect(token)` gives a connected client, `about(client)` what it knows about the connection.
export async function main(connect, about, name) {
  const refusals = [];
  for (const token of [null, 'wrong-token']) {
    try {
      const client = await connect(token);
      await client.listTools();
      refusals.push('not refused');
    } catch (error) {
      refusals.push(/401|nauthorized|bearer token/.test(`${error} ${error.code ?? ''} ${error.data?.status ?? ''}`) ? 'refused' : String(error));
    }
  }
  const client = await connect(process.argv[3]);
  const report = { refusals, ...about(client), ...(await used(client, name)) };
  await client.close();
  console.log(JSON.stringify(report));
  process.exit(0);
}
