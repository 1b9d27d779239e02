import { Writable } from "node:stream";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { StallGuard } from "../../runtime/clients/stall-guard.ts";
import { addToTurn, type Turn, writeTurn } from "../../runtime/clients/turn.ts";
import { until } from "../harness/wait.ts";

/** A client whose connection takes bytes only when it is `open`. */
class Client {
  readonly taken: string[] = [];
  readonly confirmed: string[] = [];
  guards = 0;
  cuts = 0;
  isOpen = true;
  failure: Error | undefined = undefined;
  #guard: StallGuard<Client> | undefined = undefined;
  #waiting: (() => void) | undefined = undefined;
  readonly connection = new Writable({
    write: (bytes, _encoding, done) => {
      const take = () => {
        if (this.failure === undefined) this.taken.push(String(bytes));
        done(this.failure);
      };
      if (this.isOpen) take();
      else this.#waiting = take;
    },
  }).on("error", () => undefined);

  write(text: string): void {
    const receipt = { confirm: () => void this.confirmed.push(text), giveBack() {} };
    const turn: Turn<string> = addToTurn(undefined, { flush() {} }, text, text.length, receipt);
    this.#guard = writeTurn(this.connection, turn, Buffer.from(text), this.#guard, () => {
      this.guards += 1;
      return new StallGuard<Client>(20, this, (client) => {
        client.cuts += 1;
        client.connection.destroy();
      });
    });
  }

  /** Takes everything that waits, and later bytes at once. */
  open(): void {
    this.isOpen = true;
    this.takeNext();
  }

  /** Takes what was written first of what waits. */
  takeNext(): void {
    const take = this.#waiting;
    this.#waiting = undefined;
    take?.();
  }
}

test("a turn whose bytes leave at once is confirmed without a guard, but not during its write", async () => {
  const client = new Client();
  client.write("a");
  client.write("b");
  assert.equal(client.confirmed, []);
  await until(() => client.confirmed.length === 2);
  assert.equal([client.taken, client.confirmed, client.guards], [["a", "b"], ["a", "b"], 0]);
});

test("a turn whose bytes wait is confirmed when they have left, after the turns before", async () => {
  const client = new Client();
  client.write("a");
  client.isOpen = false;
  client.write("b");
  client.write("c");
  await until(() => client.confirmed.length === 1);
  client.open();
  await until(() => client.confirmed.length === 3);
  client.write("d");
  await until(() => client.confirmed.length === 4);
  assert.equal(client.confirmed, ["a", "b", "c", "d"]);
  assert.is(client.taken.join(""), "abcd");
  assert.equal([client.guards, client.cuts], [1, 0]);
});

test("a client that took the first bytes that waited has as long for the next ones", async () => {
  const client = new Client();
  client.isOpen = false;
  const begun = performance.now();
  for (const text of ["a", "b"]) client.write(text);
  client.takeNext();
  await until(() => client.cuts > 0);
  const lasted = performance.now() - begun;
  assert.ok(lasted > 38, `cut after ${lasted} ms`);
  assert.equal([client.taken, client.confirmed], [["a"], []]);
});

test("a turn whose bytes do not leave in time, or cannot be written, is not confirmed", async () => {
  const [stuck, broken, gone] = [new Client(), new Client(), new Client()];
  stuck.isOpen = false;
  broken.failure = new Error("broken pipe");
  gone.connection.destroy();
  for (const client of [stuck, broken, gone]) client.write("a");
  await until(() => [stuck, broken, gone].every(({ cuts }) => cuts > 0));
  stuck.open();
  await new Promise(setImmediate);
  for (const { confirmed, connection } of [stuck, broken, gone]) {
    assert.equal(confirmed, []);
    assert.ok(connection.destroyed);
  }
});

test.run();
