import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { encodeJson } from "../../../runtime/message/json-bytes.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { Timestamp, type Value, WholeFloat } from "../../../runtime/message/value.ts";
import { unarchiveBinary } from "../../../runtime/processors/archives/binary.ts";
import { unarchiveCsv } from "../../../runtime/processors/archives/csv.ts";
import { unarchiveJsonArray } from "../../../runtime/processors/archives/json.ts";
import { archiveTar, unarchiveTar } from "../../../runtime/processors/archives/tar.ts";
import { archiveZip, unarchiveZip, writeZip } from "../../../runtime/processors/archives/zip.ts";
import { componentContext } from "../connectors/contexts.ts";

const test = suite("archives");

// Written by another program: files with a plain, a long, a hostile and a non-ASCII name, a folder, a link.
const gnu = unpacked(
  "H4sIAAAAAAACA+3XTQ7CIBAFYI7CCUqhBbYeoJdo+qONTWsKxh7OnRcTXRglJsYY0Nj3dQHpdnjMUCZ2tiSs1FF5fl0df3Xk" +
    "3f7yXynFCU1JBHtjy4lSslBtNxlLYKkSlrBVMQ7rohu2AfP/JPe3zAvh519rmRNaIP/Bzex3vt4dwwjtCCLX/3X/V4/5F4rn" +
    "6P9RmKYahxo5WGz/dwNAwhpbsV1pzCHISXidf2/P00ykyH8Mp2P4jvv++09nXKP+MdhNN+H6X6527OtmYl/Ov7/XXEpCJfIf" +
    "XB/u2f9J/1eZm/9F4LkE9QcAAAAAAAAAgH93BtZsXFkAKAAA",
);
const pax = unpacked(
  "H4sIAAAAAAACA+3YPW6DMBwFcM89BSfAH8R2ligdM/YKFh8FFUGEXYXDdevFalqpakkkpEp2I/n9GEAsHszj/8DkbnYkLOap" +
    "3e7z7K3PnvxxvdxXWnCSMRLBq3Vm8kuSNDXdZB2BVOU0p49PZj7VpqqncPm/kfvvzItC/c4/Z4Irks3If3Bc7rOzce1hpvdz" +
    "9OPwvMylB+QztBjbuT3/V/kXSjDM/yhsXY5DhRwkO/99Achp7Up6NtZegjwJ2/ln6/lfKIb8p9L/GNfX/a9A/4vT/77q3/sb" +
    "CleKjvf5/0dJjfd/DK7tJtS/dDVj7+c+/ef8r6+14JJkEvkPru+Gl9Br/KH/K+2//0Xg7xLsPwAAAAAAAKTiA5lxWJkAKAAA",
);
// A stored and a deflated file, a folder, and a comment after the directory.
const zip = Buffer.from(
  "UEsDBBQAAAAAAAAAIQBX7nGSBQAAAAUAAAAKAAAAc3RvcmVkLnR4dGZpcnN0UEsDBBQAAAgIAAAAIQD2607mCwAAADwAAAAO" +
    "AAAALi4vZGVlcC/DvC50eHQrTk3Oz0spJosEAFBLAwQUAAAAAAAAACEAAAAAAAAAAAAAAAAABwAAAGZvbGRlci9QSwECFAMU" +
    "AAAAAAAAACEAV+5xkgUAAAAFAAAACgAAAAAAAAAAAAAAgAEAAAAAc3RvcmVkLnR4dFBLAQIUAxQAAAgIAAAAIQD2607mCwAA" +
    "ADwAAAAOAAAAAAAAAAAAAACAAS0AAAAuLi9kZWVwL8O8LnR4dFBLAQIUAxQAAAAAAAAAIQAAAAAAAAAAAAAAAAAHAAAAAAAA" +
    "AAAAAACAAWQAAABmb2xkZXIvUEsFBgAAAAADAAMAqQAAAIkAAAAJAGEgY29tbWVudA==",
  "base64",
);
// Written as a stream: the sizes of files follow their content.
const streamedZip = Buffer.from(
  "UEsDBBQACAAIAAAAIQAAAAAAAAAAAAAAAAAMAAAAc3RyZWFtZWQudHh0S87PK0nNKwEAUEsHCKkwxf4JAAAABwAAAFBLAQIU" +
    "AxQACAAIAAAAIQCpMMX+CQAAAAcAAAAMAAAAAAAAAAAAAACAAQAAAABzdHJlYW1lZC50eHRQSwUGAAAAAAEAAQA6AAAAQwAA" +
    "AAAA",
  "base64",
);

function unpacked(text: string): Buffer {
  return gunzipSync(Buffer.from(text, "base64"));
}

async function entries(
  processor: ReturnType<typeof unarchiveTar>,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  const batches = await processor.process(
    [Message.fromBytes(bytes, new Map([["kept", 1]]))],
    componentContext(),
  );
  return batches.flat().map(shown);
}

function shown(message: Message): string {
  assert.is(message.metadata.get("kept"), 1);
  if (message.failure !== undefined) return `! ${message.failure.answer}`;
  return `${message.metadata.get("archive_filename") ?? ""}: ${Buffer.from(message.bytes())}`;
}

const tar = unarchiveTar({ format: "tar" });
const inTar = ["a.txt: first", `${"x/".repeat(70)}long.txt: second`, "../../etc/passwd: ", "ü.txt: third"];

test("archives of other programs are read, including unusual entry names", async () => {
  assert.equal(await entries(tar, gnu), [...inTar, "folder/: ", "link: "]);
  assert.equal(await entries(tar, pax), [...inTar, "folder/: ", "link: "]);
  const files = ["stored.txt: first", `../deep/ü.txt: ${"second".repeat(10)}`, "folder/: "];
  assert.equal(await entries(unarchiveZip({ format: "zip" }), zip), files);
  assert.equal(await entries(unarchiveZip({ format: "zip" }), streamedZip), ["streamed.txt: content"]);
});

test("an archive truncated anywhere, or modified, is flagged with the reason, never misread", async () => {
  for (const [name, bytes, read] of [
    ["tar", gnu.subarray(0, 9 * 512), tar],
    ["zip", zip, unarchiveZip({ format: "zip" })],
    ["zip", streamedZip, unarchiveZip({ format: "zip" })],
  ] as const) {
    const whole = await entries(read, bytes);
    for (let length = 0; length < bytes.length; length++) {
      const [first = "", ...others] = await entries(read, bytes.subarray(0, length));
      // A tar file may end after any entry.
      const isPrefix =
        name === "tar" && length % 512 === 0 && whole.join().startsWith([first, ...others].join());
      if (!isPrefix) assert.match(first, new RegExp(`^! failed to unarchive ${name}: `), `${name} ${length}`);
    }
    for (let at = 0; at < bytes.length; at += 3) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      for (const entry of await entries(read, changed)) assert.type(entry, "string");
    }
  }
});

test("a zip that understates its sizes is not unpacked beyond them, and one too large not at all", async () => {
  const [archive] = (await archiveZip({ format: "zip", path: "bomb" }).process(
    [Message.fromBytes(Buffer.alloc(10_000_000))],
    componentContext(),
  )) as [Batch];
  const bytes = Buffer.from(archive[0]?.bytes() ?? []);
  const given = new Map([["kept", 1]]);
  const read = async (content: Uint8Array, maxBytes: number) => {
    const processor = unarchiveZip({ format: "zip", max_bytes: maxBytes });
    return (await processor.process([Message.fromBytes(content, given)], componentContext()))
      .flat()
      .map(shown);
  };
  assert.equal(await read(bytes, 9_999_999), ["! the content is larger than the limit of 9999999 bytes"]);
  assert.is((await read(bytes, 10_000_000))[0]?.length, 10_000_006);
  const directory = bytes.lastIndexOf(Buffer.from("PK\x01\x02", "latin1"));
  bytes.writeUInt32LE(5, directory + 24);
  assert.equal(await read(bytes, 9_999_999), ["! the content is larger than the limit of 5 bytes"]);
});

/** Returns the ZIP64 end of an archive with two empty files, with other numbers in it. */
function zip64(count: bigint, start: bigint | undefined, place: bigint | undefined): Buffer {
  const bytes = Buffer.from(
    writeZip(
      ["a", "b"].map((name) => [name, new Uint8Array()]),
      new Date(),
    ),
  );
  const at = bytes.length - 22;
  const more = Buffer.alloc(76);
  more.write("PK\x06\x06", 0, "latin1");
  more.writeBigUInt64LE(count, 32);
  more.writeBigUInt64LE(start ?? BigInt(bytes.readUInt32LE(at + 16)), 48);
  more.write("PK\x06\x07", 56, "latin1");
  more.writeBigUInt64LE(place ?? BigInt(at), 64);
  bytes.writeUInt16LE(0xffff, at + 10);
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

test("a zip holds as many files as a batch has messages, and is written for any year of the clock", async () => {
  const read = unarchiveZip({ format: "zip" });
  const files = Array.from({ length: 0x10001 }, (_, index) => [`${index}`, new Uint8Array()] as const);
  const names = await entries(read, writeZip(files, new Date()));
  assert.equal([names.length, names.at(-1)], [0x10001, "65536: "]);
  assert.equal(await entries(read, zip64(2n, undefined, undefined)), ["a: ", "b: "]);
  const high = 2n ** 64n - 1n;
  for (const [count, start, place] of [
    [3n, undefined, undefined],
    [high, undefined, undefined],
    [2n, high, undefined],
    [2n, undefined, high],
    [2n, undefined, 0n],
  ] as const)
    assert.equal(await entries(read, zip64(count, start, place)), [
      "! failed to unarchive zip: its directory is damaged",
    ]);
  for (const year of [1970, 2200]) {
    const archive = writeZip([["a", Buffer.from("b")]], new Date(Date.UTC(year, 0, 1)));
    assert.equal(await entries(read, archive), ["a: b"]);
  }
});

test("overlapping entries count each time", async () => {
  const one = Buffer.from(
    (await archiveZip({ format: "zip" }).process([Message.fromBytes(Buffer.alloc(1000))], componentContext()))
      .flat()[0]
      ?.bytes() ?? [],
  );
  const start = one.indexOf(Buffer.from("PK\x01\x02", "latin1"));
  const end = one.indexOf(Buffer.from("PK\x05\x06", "latin1"));
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(50, 10);
  const row = one.subarray(start, end);
  const many = Buffer.concat([one.subarray(0, start), ...Array.from({ length: 50 }, () => row), tail]);
  const read = (maxBytes: number) => entries(unarchiveZip({ format: "zip", max_bytes: maxBytes }), many);
  assert.is((await read(50_000)).length, 50);
  assert.equal(await read(49_999), ["! the content is larger than the limit of 49999 bytes"]);
});

test("zip files that are too large or not supported are reported", async () => {
  const encrypted = Buffer.from(zip);
  const directory = encrypted.indexOf(Buffer.from("PK\x01\x02", "latin1"));
  encrypted[directory + 8] = 1;
  const read = unarchiveZip({ format: "zip" });
  assert.equal(await entries(read, encrypted), ["! failed to unarchive zip: it holds an encrypted file"]);
  const odd = Buffer.from(zip);
  odd[directory + 10] = 12;
  assert.equal(await entries(read, odd), [
    "! failed to unarchive zip: it holds a file that is compressed by method 12, which is not supported",
  ]);
});

test("entry names of every length survive a tar", async () => {
  const names = Array.from({ length: 300 }, (_, length) => "n".repeat(length));
  const batch = names.map((name) => Message.fromText(name, new Map([["kept", 1]])));
  const path = (from: Batch, index: number) => Buffer.from(from[index]?.bytes() ?? []).toString();
  const [archive] = (await archiveTar({ format: "tar", path }).process(batch, componentContext())).flat();
  assert.equal(
    await entries(tar, archive?.bytes() ?? new Uint8Array()),
    names.map((name) => `${name}: ${name}`),
  );
});

test("a message cannot give an entry a name that escapes the target folder", async () => {
  for (const name of [
    "../evil",
    "a/../../evil",
    "a\\..\\evil",
    "..",
    "a\0.txt",
    "a\nb",
    "\ud800",
    "folder/",
  ]) {
    for (const pack of [
      archiveTar({ format: "tar", path: () => name }),
      archiveZip({ format: "zip", path: () => name }),
    ]) {
      const [message] = (await pack.process([Message.fromText("x")], componentContext())).flat();
      assert.is(message?.failure?.status, 422, name);
    }
  }
});

test("`error()` of invalid archives matches the reference engine", async () => {
  const reported = async (read: Processor, content: string) =>
    (await read.process([Message.fromText(content)], componentContext()))
      .flat()
      .map(({ failure }) => failure?.message);
  assert.equal(await reported(tar, "no tar"), ["unexpected EOF"]);
  assert.equal(await reported(tar, "x".repeat(512)), ["archive/tar: invalid tar header"]);
  assert.equal(await reported(unarchiveZip({ format: "zip" }), "no zip"), ["zip: not a valid zip file"]);
  assert.equal(await reported(unarchiveBinary({ format: "binary" }), "no binary"), [
    "serialised message bytes were in unexpected format",
  ]);
  assert.equal(await reported(tar, ""), [], "a tar without a byte holds nothing");
  assert.equal(await reported(unarchiveCsv({ format: "csv" }), ""), []);
});

test("a binary archive that claims more than it holds is flagged at once", async () => {
  const promises = Buffer.from([255, 255, 255, 255, 0, 0, 0, 1, 65]);
  assert.equal(await entries(unarchiveBinary({ format: "binary" }), promises), [
    "! failed to unarchive binary: the content ends too early",
  ]);
});

test("elements of a document that a mapping made are what their JSON is, and limits count it", () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 0.1 + 0.2, 1e-4, 1e6, 2 ** 53, 1.5));
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\udcff", "\u2028", "19.90"));
  const scalar = fc.oneof(
    number,
    text,
    fc.boolean(),
    fc.constantFrom<Value>(null, new WholeFloat(2), new Timestamp(0n, 0, "UTC"), 2n ** 60n, Buffer.from("a")),
  );
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), fc.nat(400), (values, limit) => {
      const printed = values.map((each) => encodeJson(each));
      const isTooLarge = printed.reduce((sum, { length }) => sum + length, 0) > limit;
      const unarchive = unarchiveJsonArray({ format: "json_array", max_bytes: limit });
      const batches = unarchive.process([Message.fromText("").withDocument(values)], componentContext());
      assert.ok(Array.isArray(batches));
      const messages: Batch = batches.flat();
      if (isTooLarge) assert.match(messages[0]?.failure?.message ?? "", String(limit));
      else {
        const read = (message: Message) => [
          message.document(),
          Buffer.from(message.bytes()).toString(),
          message.document(),
          message.isMade,
        ];
        assert.equal(
          messages.map(read),
          printed.map((bytes) => read(Message.fromBytes(bytes))),
        );
      }
    }),
    { seed: 3, numRuns: 400 },
  );
});

test.run();
