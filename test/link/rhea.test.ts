import { test } from "uvu";
import * as assert from "uvu/assert";
import { rheaPatch } from "../../compiler/link/patches/rhea.ts";
import { runPatched } from "./patched-bundle.ts";

/** A broker and a receiver on one connection; prints how the receiver decoded each message, and whether it stayed connected. */
const program = (payloads: readonly unknown[]) => `
import rhea from "rhea";

const payloads = ${JSON.stringify(payloads)};
const server = rhea.create_container();
const listener = server.listen({ host: "127.0.0.1", port: 0 });
server.once("sendable", ({ sender }) => {
  payloads.forEach(([hex, format], at) => sender.send(Buffer.from(hex, "hex"), Buffer.from([at]), format));
});
listener.on("listening", () => {
  const client = rhea.create_container().connect({ port: listener.address().port, host: "127.0.0.1", reconnect: false });
  const seen = [];
  const end = (last) => {
    console.log(JSON.stringify([...seen, ...last]));
    process.exit();
  };
  client.open_receiver("orders").on("message", ({ message }) => {
    const { body, unreadable } = message;
    seen.push(unreadable === undefined ? JSON.stringify(body?.content?.toString() ?? body ?? null) : unreadable.message);
    if (seen.length === payloads.length) end([]);
  });
  for (const event of ["error", "protocol_error", "disconnected"]) client.on(event, () => end([event]));
});
`;

const section = (code: number, value: string) => `0053${code.toString(16)}${value}`;
const data = section(0x75, "a00178");
const deep = 20_000;

/** The bytes of a message in hexadecimal, and the value that the receiver decodes. */
const messages: Readonly<Record<string, readonly [bytes: string, read: RegExp, format?: number]>> = {
  "no bytes at all": ["", /^null$/],
  "a body of null and another section": [section(0x77, "40") + data, /null/],
  "a value that is no section": ["a10173", /^a section has no descriptor$/],
  "a section that does not exist": [section(0x10, "40"), /^the section is unknown$/],
  "a section with the name of a function": [`00a308${hex("toString")}40`, /./],
  "a section with the name of a prototype": [`00a309${hex("__proto__")}40`, /./],
  "a value described by the name of a function": [
    section(0x74, `c10f02a10161${`00a308${hex("toString")}40`}`),
    /constructor/,
  ],
  "a type that does not exist": [section(0x77, "ff"), /typecode/],
  "text that breaks off": [section(0x77, "a1"), /range/],
  "a list that claims four billion values": [
    section(0x77, "d0ffffffffffffffff"),
    /^there are too many values$/,
  ],
  "a list that claims more than it has": [
    section(0x77, "d000000008000000ff4040"),
    /^there are too many values$/,
  ],
  "an array of four billion times nothing": [
    section(0x77, "f000000005ffffffff40"),
    /^there are too many values$/,
  ],
  "an array of a few times nothing": [section(0x77, "e0020340"), /^\[null,null,null\]$/],
  "arrays of much nothing": [
    section(0x77, `d0ffffffff00000002${"f0000000050000ff0040".repeat(2)}`),
    /^there are too many values$/,
  ],
  "lists deeper than the stack": [
    section(0x77, `${"d0ffffffff00000001".repeat(deep)}45`),
    /Maximum call stack|^\[\[/,
  ],
  "another format": [data, /^"x"$/, 5],
  "bytes without sense": ["deadbeef".repeat(20), /./],
};

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}

test("an unreadable message fails alone, without extra memory, and is not quoted", async () => {
  const cases = Object.entries(messages);
  const payloads = [...cases.map(([, [bytes, , format = 0]]) => [bytes, format]), [data, 0]];
  const { stdout, stderr } = await runPatched([rheaPatch()], program(payloads));
  const read = JSON.parse(stdout) as readonly string[];
  for (const [at, [name, [, expected]]] of cases.entries()) {
    assert.match(read[at] ?? "nothing came", expected, name);
  }
  assert.is(read[cases.length], '"x"');
  assert.is(stderr, "");
});

test("messages that are settled in one turn have each its own outcome", async () => {
  const outcomes = ["accept", "release", "accept", "accept", "reject", "reject", "accept", "release"];
  const { stdout } = await runPatched(
    [rheaPatch()],
    `
import rhea from "rhea";
const wanted = ${JSON.stringify(outcomes)};
const [broker, client] = [rhea.create_container(), rhea.create_container()];
const printed = [];
broker.once("sendable", ({ sender }) => wanted.forEach((_, body) => sender.send({ body })));
for (const [event, name] of [["accepted", "accept"], ["released", "release"], ["rejected", "reject"]])
  broker.on(event, ({ delivery }) => {
    printed[delivery.id] = name;
    if (printed.length < wanted.length || printed.includes(undefined)) return;
    console.log(JSON.stringify(printed));
    process.exit();
  });
const server = broker.listen({ host: "127.0.0.1", port: 0 });
const open = [];
client.on("message", ({ delivery }) => {
  open.push(delivery);
  if (open.length === wanted.length) for (const [index, each] of open.entries()) each[wanted[index]]();
});
server.on("listening", () =>
  client.connect({ host: "127.0.0.1", port: server.address().port }).open_receiver({ source: "q", autoaccept: false }));
`,
  );
  assert.equal(JSON.parse(stdout), outcomes);
});

/** A broker whose numbers of deliveries, transfers and messages begin shortly before they wrap, as those of the client do. */
const wrapping = `
const first = 2 ** 32 - 3;
const beginLate = ({ outgoing, local }) => {
  Object.assign(outgoing, { next_delivery_id: first, next_pending_delivery: first, next_transfer_id: first });
  local.begin.next_outgoing_id = first;
};
`;

test("numbers of messages continue after their end", async () => {
  const count = 5_000;
  const { stdout, stderr } = await runPatched(
    [rheaPatch()],
    `
import rhea from "rhea";
${wrapping}
const [broker, client] = [rhea.create_container(), rhea.create_container()];
const seen = { received: 0, accepted: 0, sent: 0, confirmed: 0 };
const note = (name) => {
  seen[name] += 1;
  if (seen.accepted < ${count} || seen.confirmed < ${count}) return;
  console.log(JSON.stringify(seen));
  process.exit();
};
broker.on("session_open", ({ session }) => beginLate(session));
broker.on("sender_open", ({ sender }) => {
  sender.local.attach.initial_delivery_count = first;
  sender.delivery_count = first;
});
let left = ${count};
broker.on("sendable", ({ sender }) => {
  while (left > 0 && sender.sendable()) sender.send({ body: left-- });
});
broker.on("accepted", () => note("accepted"));
broker.on("message", () => note("sent"));
const server = broker.listen({ host: "127.0.0.1", port: 0 });
server.on("listening", () => {
  const connection = client.connect({ host: "127.0.0.1", port: server.address().port });
  connection.open_receiver({ source: "q", credit_window: 500 }).on("message", () => note("received"));
  const sender = connection.open_sender({ target: "q" });
  let unsent = ${count};
  sender.on("sendable", () => {
    while (unsent > 0 && sender.sendable()) sender.send({ body: unsent-- });
  });
  sender.on("accepted", () => note("confirmed"));
  beginLate(sender.session);
});
`,
  );
  assert.equal(JSON.parse(stdout), { received: count, accepted: count, sent: count, confirmed: count });
  assert.is(stderr, "");
});

test("an outcome of all numbers is that of the messages that are unsettled", async () => {
  const { stdout } = await runPatched(
    [rheaPatch()],
    `
import rhea from "rhea";
import frames from "rhea/lib/frames.js";
${wrapping}
const [broker, client] = [rhea.create_container(), rhea.create_container()];
let messages = 0;
broker.on("message", ({ receiver }) => {
  messages += 1;
  const state = rhea.message.accepted().described();
  const all = { role: true, first: first - 2 ** 31 + 10, last: first + 2 ** 30 - 2 ** 32, settled: true, state };
  if (messages === 6) receiver.session.output(frames.disposition(all));
});
const server = broker.listen({ host: "127.0.0.1", port: 0 });
server.on("listening", () => {
  const sender = client.connect({ host: "127.0.0.1", port: server.address().port }).open_sender({ target: "q" });
  sender.once("sendable", () => [1, 2, 3, 4, 5, 6].forEach((body) => sender.send({ body })));
  let accepted = 0;
  sender.on("accepted", () => {
    accepted += 1;
    if (accepted < 6) return;
    console.log(accepted);
    process.exit();
  });
  beginLate(sender.session);
});
broker.options.autoaccept = false;
broker.on("receiver_open", ({ receiver }) => receiver.observers.removeAllListeners("message"));
broker.on("connection_open", ({ connection }) => {
  connection.options.receiver_options = { autoaccept: false };
});
`,
  );
  assert.is(stdout, "6\n");
});

test("a message that its sender aborts is discarded, and takes up no credit", async () => {
  const { stdout, stderr } = await runPatched(
    [rheaPatch()],
    `
import rhea from "rhea";
import frames from "rhea/lib/frames.js";
const [broker, client] = [rhea.create_container(), rhea.create_container()];
let id = 0;
broker.on("sendable", ({ sender }) => {
  const { session } = sender;
  while (id < 20 && sender.sendable()) {
    const transfer = { handle: sender.local.handle, delivery_id: id, delivery_tag: Buffer.from([id]) };
    if (id % 2 === 0) session.output(frames.transfer({ ...transfer, more: true }), Buffer.from("0053"));
    session.output(frames.transfer({ ...transfer, aborted: true }));
    sender.credit--;
    sender.delivery_count++;
    session.outgoing.next_transfer_id += id % 2 === 0 ? 2 : 1;
    id += 1;
    session.outgoing.next_delivery_id = session.outgoing.next_pending_delivery = id;
  }
  if (id === 20 && sender.sendable()) sender.send({ body: "whole" }), (id = Infinity);
});
const server = broker.listen({ host: "127.0.0.1", port: 0 });
server.on("listening", () => {
  const receiver = client
    .connect({ host: "127.0.0.1", port: server.address().port })
    .open_receiver({ source: "q", credit_window: 0, autoaccept: false });
  receiver.on("receiver_open", () => receiver.add_credit(2));
  receiver.on("message", ({ message }) => {
    console.log(message.body, receiver.credit);
    process.exit();
  });
});
`,
  );
  assert.is(stdout, "whole 1\n");
  assert.is(stderr, "");
});

/** 64-bit integers as AMQP encodes them, and their text. */
const integers: Readonly<Record<string, string>> = {
  "80ffffffffffffffff": "18446744073709551615",
  "800020000000000001": "9007199254740993",
  "80001fffffffffffff": "9007199254740991",
  "810020000000000001": "9007199254740993",
  "818000000000000000": "-9223372036854775808",
  "81ffdfffffffffffff": "-9007199254740993",
  "81ffe0000000000001": "-9007199254740991",
  "800000000000000007": "7",
};

test("64-bit integers keep their digits in properties and bodies", async () => {
  const values = Object.keys(integers);
  const properties = values.map((value, at) => `a101${hex(String(at))}${value}`).join("");
  const map = `d1${word(properties.length / 2 + 4)}${word(2 * values.length)}${properties}`;
  const list = `d0${word(values.join("").length / 2 + 4)}${word(values.length)}${values.join("")}`;
  const { stdout } = await runPatched(
    [rheaPatch()],
    `
import rhea from "rhea";
import { incomingMessage } from "./runtime/connectors/amqp-1/input.ts";

const decoded = rhea.message.decode(Buffer.from("${section(0x74, map)}${section(0x77, list)}", "hex"));
const message = incomingMessage(decoded, false);
console.log(JSON.stringify([[...message.metadata.values()], new TextDecoder().decode(message.bytes())]));
`,
  );
  const texts = Object.values(integers);
  assert.equal(JSON.parse(stdout), [texts, `[${texts.join(",")}]`]);
});

/** Returns a 32-bit number in hexadecimal. */
function word(value: number): string {
  return value.toString(16).padStart(8, "0");
}

test.run();
