// The first TypeScript SDK. usage: node ts-v1.mjs URL TOKEN
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { main } from './memory.mjs';

async function connect(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const client = new Client({ name: 'ts-v1', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), { requestInit: { headers } }));
  return client;
}

await main(connect, (client) => ({ protocol: client.transport.protocolVersion, server: client.getServerVersion().name }), 'ts-v1');
