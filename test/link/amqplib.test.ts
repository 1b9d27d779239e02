import { test } from "uvu";
import * as assert from "uvu/assert";
import { amqplibPatch } from "../../compiler/link/patches/amqplib.ts";
import { runPatched } from "./patched-bundle.ts";

/** Tables as a broker sends them (AMQP 0-9-1, section 4.2.5.5): each holds `t`, a value with its tag and its length. */
const program = `
import { decodeFields } from "./node_modules/amqplib/lib/codec.js";

const [kind, levels] = [process.argv[2], Number(process.argv[3])];

function field(tag, value) {
  const head = Buffer.from([1, "t".charCodeAt(0), tag.charCodeAt(0), 0, 0, 0, 0]);
  head.writeUInt32BE(value.length, 3);
  return Buffer.concat([head, value]);
}

function integer(name, value) {
  const bytes = Buffer.from([1, name.charCodeAt(0), "l".charCodeAt(0), 0, 0, 0, 0, 0, 0, 0, 0]);
  bytes.writeBigInt64BE(value, 3);
  return bytes;
}

let table = integer("n", 9007199254740993n);
if (kind === "A") {
  table = table.subarray(2);
  // An array has no names.
  for (let level = 1; level < levels; level += 1) table = field("A", table).subarray(2);
  table = field("A", table);
} else {
  for (let level = 0; level < levels; level += 1) table = field("F", table);
}
let [value, depth] = [decodeFields(Buffer.concat([table, integer("z", -5n)])), 0];
const after = value.z;
for (; value !== null && typeof value === "object" && Object.keys(value).length > 0; depth += 1) {
  value = value.n ?? value.t ?? value[0];
}
console.log(depth, typeof value === "object" ? JSON.stringify(value) : String(value), typeof value, after);
`;

async function decoded(kind: "F" | "A", levels: number): Promise<string> {
  const { stdout, stderr } = await runPatched([amqplibPatch()], program, [kind, String(levels)]);
  assert.is(stderr, "");
  return stdout.trim();
}

test("64-bit integer headers keep their digits, and 53-bit ones are numbers", async () => {
  assert.is(await decoded("F", 3), "4 9007199254740993 bigint -5");
  assert.is(await decoded("A", 3), "4 9007199254740993 bigint -5");
});

test("values nested deeper than a hundred tables or arrays are empty, and the following ones are read", async () => {
  assert.is(await decoded("F", 100), "101 9007199254740993 bigint -5");
  assert.is(await decoded("F", 20_000), "101 {} object -5");
  assert.is(await decoded("A", 20_000), "101 [] object -5");
});

/** A broker that sends more with the last frame of the handshake, and what becomes of a channel to it. */
const refusing = `
import { createServer } from "node:net";
import { encodeMethod, ConnectionClose, ConnectionOpen, ConnectionOpenOk, ConnectionStart, ConnectionTune } from "./node_modules/amqplib/lib/defs.js";
import { openChannel } from "./runtime/connectors/amqp-0-9/client.ts";

const more = {
  garbage: Buffer.from([9, 0, 0, 0, 0, 0, 3, 1, 1, 1, 7]),
  close: encodeMethod(ConnectionClose, 0, { replyCode: 541, replyText: "INTERNAL_ERROR", classId: 0, methodId: 0 }),
};
const answers = [
  encodeMethod(ConnectionStart, 0, { versionMajor: 0, versionMinor: 9, serverProperties: {}, mechanisms: Buffer.from("PLAIN"), locales: Buffer.from("en_US") }),
  encodeMethod(ConnectionTune, 0, { channelMax: 0, frameMax: 131072, heartbeat: 0 }),
  Buffer.concat([encodeMethod(ConnectionOpenOk, 0, { knownHosts: "" }), more[process.argv[2]]]),
];
const open = Buffer.from([ConnectionOpen >> 16, ConnectionOpen & 0xffff].flatMap((number) => [number >> 8, number & 255]));
const server = createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes]);
    if (answers.length > 1 || received.includes(open)) {
      const answer = answers.shift();
      if (answer !== undefined) socket.write(answer);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  const targets = [{ url: "amqp://127.0.0.1:" + server.address().port, options: {} }];
  openChannel(targets, (connection) => connection.createConfirmChannel())
    .then(() => "opened", ({ message }) => message)
    .then((printed) => {
      console.log(printed);
      process.exit();
    });
});
`;

for (const more of ["garbage", "close"]) {
  test(`a broker that sends ${more} with the end of the handshake refuses a channel and does not end the process`, async () => {
    const { stdout, stderr } = await runPatched([amqplibPatch()], refusing, [more]);
    assert.is(stderr, "");
    assert.match(stdout.trim(), /^RabbitMQ refused a channel/);
  });
}

test.run();
