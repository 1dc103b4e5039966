// What a back end makes for itself in an afternoon: one process, ws, one insert a message, no acknowledgements, no ledger, no
// resume. The peer that `./switchboard bench end-to-end --peer=bench/relay/serve` measures under the same load.
import { createServer } from 'node:http';
import pg from 'pg';
import { WebSocketServer } from 'ws';

const url = new URL(process.env.SWITCHBOARD_DB_URL.replace(/^jdbc:/, ''));
const db = new pg.Pool({
  host: url.hostname, port: Number(url.port), database: url.pathname.slice(1),
  user: process.env.SWITCHBOARD_DB_USER, password: process.env.SWITCHBOARD_DB_PASSWORD, max: 10,
});
await db.query(`CREATE TABLE IF NOT EXISTS message (
  conversation text NOT NULL, seq bigint NOT NULL, sender text NOT NULL, client_id text NOT NULL, body jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (conversation, seq))`);

const agents = [];
let opened = 0;

function send(socket, frame) {
  socket.send(JSON.stringify(frame));
}

async function post(socket, customer, frame) {
  const seq = ++customer.seq;
  await db.query({
    name: 'insert',
    text: 'INSERT INTO message (conversation, seq, sender, client_id, body) VALUES ($1, $2, $3, $4, $5)',
    values: [customer.conversation, seq, customer.id, frame.clientMsgId, frame.body],
  });
  send(socket, { type: 'reply', id: frame.id, conv: customer.conversation, seq, state: 'accepted' });
  send(customer.agent, {
    type: 'entry', conv: customer.conversation, seq, prev: seq - 1, kind: 'message', from: { role: 'customer', id: customer.id },
    ts: new Date().toISOString(), clientMsgId: frame.clientMsgId, body: frame.body,
  });
}

const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'switchboard.v1.json' });
sockets.on('connection', (socket) => {
  let customer;
  socket.on('message', (data) => {
    const frame = JSON.parse(data);
    if (frame.type === 'hello') {
      const [, role, id] = frame.token.split(':');
      if (role === 'agent') {
        agents.push(socket);
      } else {
        customer = { id, conversation: `c-${id}`, seq: 0, agent: agents[opened++ % agents.length] };
      }
      send(socket, { type: 'welcome' });
    } else if (frame.type === 'status') {
      send(socket, { type: 'reply', id: frame.id });
    } else if (frame.type === 'post') {
      post(socket, customer, frame).catch((e) => send(socket, { type: 'error', id: frame.id, code: 'internal', message: e.message }));
    }
  });
});

createServer((request, response) => response.end('{}'))
  .on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit('connection', ws, request)))
  .listen(Number(process.env.SWITCHBOARD_HTTP_PORT), '127.0.0.1');
createServer((request, response) => response.end('{"ready":true}'))
  .listen(Number(process.env.SWITCHBOARD_MANAGEMENT_PORT), '127.0.0.1');
