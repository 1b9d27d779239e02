// Preloaded by `npm run test:delays`: delays at random what tests and programs observe, so that a test that waits for
// one condition and asserts another one fails on an idle machine, too. Each kind of event keeps its order.

import { ChildProcess } from "node:child_process";
import { Socket as DatagramSocket } from "node:dgram";
import type { EventEmitter } from "node:events";
import fs from "node:fs";
import { Agent, Server } from "node:http";
import { Agent as EncryptedAgent } from "node:https";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import { Worker } from "node:worker_threads";

/** Milliseconds of the longest delay, and the share of events that are delayed. */
const longest = 80;
const share = 0.06;

const later = setTimeout; // tests replace the global one
let state = Number(process.env.DELAY_SEED ?? 1) * 2_654_435_761;

/** A random number from 0 to below 1, by mulberry32. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Milliseconds to wait before an event, mostly none. */
function delay(): number {
  return random() < share ? Math.ceil(random() ** 2 * longest) : 0;
}

const queues = new WeakMap<object, (() => void)[]>();

/** Runs `deliver`, immediately or later, after everything that was delayed before for `subject`. */
function deliverLater(subject: object, deliver: () => void): void {
  const waiting = queues.get(subject);
  if (waiting !== undefined) {
    waiting.push(deliver);
    return;
  }
  const milliseconds = delay();
  if (milliseconds === 0) {
    deliver();
    return;
  }
  const queue = [deliver];
  queues.set(subject, queue);
  later(() => {
    queues.delete(subject);
    for (const next of queue) deliverLater(subject, next);
  }, milliseconds);
}

/** Delays events of an emitter. */
function delayEvents(emitter: EventEmitter, events: readonly string[]): void {
  const { emit } = emitter;
  emitter.emit = function (this: EventEmitter, event: string | symbol, ...args: unknown[]) {
    if (!events.includes(String(event))) return emit.call(this, event, ...args);
    const listens = this.listenerCount(event) > 0;
    deliverLater(this, () => emit.call(this, event, ...args));
    return listens;
  };
}

/** What sockets and pipes read: answers, requests, statements, brokers' packets, output of programs, browsers' replies. */
Socket.prototype.push = function (this: Socket, chunk: unknown, encoding?: BufferEncoding) {
  let takesMore: boolean | undefined;
  deliverLater(this, () => {
    if (this.destroyed) return;
    takesMore = Readable.prototype.push.call(this, chunk, encoding);
    if (chunk === null) this.read(0);
  });
  return takesMore ?? false; // the system keeps the rest meanwhile
};

// A socket that reads into a buffer of its owner bypasses `push`: without this option it emits its data.
for (const agent of [Agent, EncryptedAgent]) {
  const { createConnection } = agent.prototype;
  agent.prototype.createConnection = function (options, callback) {
    return createConnection.call(this, { ...options, onread: undefined }, callback);
  };
}

/** The end of a write: the sender notices it after the receiver has read. Standard output is written synchronously. */
type Write = (writev: boolean, data: unknown, encoding: string, callback: (error?: Error) => void) => void;
type Observed = Socket & { readonly _type?: string; readonly encrypted?: boolean };
const prototype = Socket.prototype as unknown as { _writeGeneric: Write };
const { _writeGeneric: write } = prototype;
prototype._writeGeneric = function (this: Observed, writev, data, encoding, callback) {
  // Over TLS, Node itself reads what arrives before it notes the end of a write, and notes it immediately after.
  if (this._type === "pipe" || this._type === "tty" || this.encrypted === true)
    return write.call(this, writev, data, encoding, callback);
  // In the order of what the socket reads: a request is written before its response is read.
  write.call(this, writev, data, encoding, (error) => deliverLater(this, () => callback(error)));
};

// HTTP servers read from the socket's handle, unless it has another reader.
const emit: EventEmitter["emit"] = Server.prototype.emit;
Server.prototype.emit = function (this: Server, event: string | symbol, ...args: unknown[]) {
  const [socket] = args as readonly { _handle?: { _consumed?: boolean } }[];
  if (event === "connection" && socket?._handle) socket._handle._consumed = true;
  return emit.call(this, event, ...args);
};

delayEvents(ChildProcess.prototype, ["message", "disconnect"]);
delayEvents(process, ["message", "disconnect"]);
delayEvents(Worker.prototype, ["message", "error", "exit"]);
// Node removes the listeners of a thread as soon as it has emitted its end, when events may still wait.
const { removeAllListeners } = Worker.prototype;
Worker.prototype.removeAllListeners = function (this: Worker, ...events: [] | [never]) {
  deliverLater(this, () => removeAllListeners.apply(this, events));
  return this;
};
delayEvents(DatagramSocket.prototype, ["message"]);

const { watch } = fs;
fs.watch = ((...args: Parameters<typeof watch>) => {
  const watcher = watch(...args);
  delayEvents(watcher, ["change"]);
  return watcher;
}) as typeof watch;

const files = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
for (const name of [
  "readFile",
  "writeFile",
  "appendFile",
  "rename",
  "rm",
  "stat",
  "mkdir",
  "readdir",
  "unlink",
]) {
  const original = files[name];
  if (original === undefined) continue;
  files[name] = async (...args) => {
    const result = await original(...args);
    await passDelay();
    return result;
  };
}
syncBuiltinESMExports();

async function passDelay(): Promise<void> {
  const milliseconds = delay();
  if (milliseconds > 0) await new Promise<void>((resolve) => later(resolve, milliseconds));
}

interface Connection {
  executeQuery(query: unknown): Promise<unknown>;
}

/** Delays the results of an SQLite driver, which come without a socket. */
function delayDriver<T extends { acquireConnection(): Promise<Connection> }>(driver: T): T {
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async () => {
    const connection = await acquire();
    if (Object.hasOwn(connection, "executeQuery")) return connection;
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = async (query) => {
      const result = await execute(query);
      await passDelay();
      return result;
    };
    return connection;
  };
  return driver;
}

/** Milliseconds until `until` looks again: mostly immediately, so that it sees short states. */
function pauseOf(interval: number): number {
  return random() < share ? interval + Math.ceil(random() * longest) : 1;
}

Object.assign(globalThis, { [Symbol.for("sluice.delays")]: { delayDriver, pauseOf } });
const edits = new Map([
  ["/runtime/store/sqlite.ts", [/new WritingDriver\([^\n]*\)(?=,\n)/, "delayDriver"]],
  ["/test/harness/wait.ts", [/(?<=await pause\()interval(?=\))/, "pauseOf"]],
] as const);
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const edit = edits.entries().find(([file]) => url.endsWith(file))?.[1];
    if (edit === undefined) return loaded;
    const [pattern, name] = edit;
    const original = String(loaded.source);
    const source = original.replace(
      pattern,
      (text) => `globalThis[Symbol.for("sluice.delays")].${name}(${text})`,
    );
    if (source === original) throw new Error(`${url} changed where its delays are`);
    return { ...loaded, source };
  },
});
