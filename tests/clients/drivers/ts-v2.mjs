// The second TypeScript SDK. usage: node ts-v2.mjs URL TOKEN legacy|auto|2026-07-28
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { main } from './memory.mjs';

const era = process.argv[4];
const mode = ['legacy', 'auto'].includes(era) ? era : { pin: era };

async function connect(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const client = new Client({ name: 'ts-v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2]), { requestInit: { headers } }));
  return client;
}

await main(connect, (client) => ({ protocol: client.getNegotiatedProtocolVersion() }), `ts-v2-${era}`);
