// kafkajs without its idle loop, with a look at the checksums of what it reads, and without what a gateway never asks of it:
// 50 KB of the bundle, and 75 KB more where nothing is read from Kafka.

import type { Plugin } from "esbuild";
import { type FilePatch, sourcePatch } from "./source-patch.ts";

/** The function at whose start the patch goes (upstream issues 1751, 1755, 1768). */
const idleLoop = `  scheduleCheckPendingRequests() {
`;

/** "The library is currently not performing CRC validations", kafkajs says before it. */
const checksum = `  const crc = decoder.readInt32() // eslint-disable-line no-unused-vars
`;

/** Records and headers of one batch at most: a few kilobytes may stand for any number of empty ones, each of which is an object. */
const mostParts = 500_000;

/** What a record or header counts for besides its own bytes. */
const bytesOfPart = 128;

/** Bytes that are unpacked for one answer before the batches after the first of each partition are left for the next one. */
const enoughUnpacked = 64 * 1024 * 1024;

/** Takes a batch for one record that says why it cannot be read. */
const readRecords = `  const records = await decodeRecords(codec, decoder, { ...recordContext, magicByte })
`;

/** Copies all headers before each one. */
const readHeaders = /^ {2}const headers = decoder\.readVarIntArray.*?^ {2}\)\n/ms;

/** Requests by their module: those of readers come with the consumer, those that no component makes do not come at all. */
const requests = {
  ofReaders: {
    Fetch: "fetch",
    ListOffsets: "listOffsets",
    OffsetCommit: "offsetCommit",
    OffsetFetch: "offsetFetch",
    JoinGroup: "joinGroup",
    Heartbeat: "heartbeat",
    LeaveGroup: "leaveGroup",
    SyncGroup: "syncGroup",
  },
  unused: {
    DescribeGroups: "describeGroups",
    ListGroups: "listGroups",
    DeleteTopics: "deleteTopics",
    DeleteRecords: "deleteRecords",
    AddPartitionsToTxn: "addPartitionsToTxn",
    AddOffsetsToTxn: "addOffsetsToTxn",
    EndTxn: "endTxn",
    TxnOffsetCommit: "txnOffsetCommit",
    DescribeAcls: "describeAcls",
    CreateAcls: "createAcls",
    DeleteAcls: "deleteAcls",
    DescribeConfigs: "describeConfigs",
    AlterConfigs: "alterConfigs",
    CreatePartitions: "createPartitions",
    DeleteGroups: "deleteGroups",
    AlterPartitionReassignments: "alterPartitionReassignments",
    ListPartitionReassignments: "listPartitionReassignments",
  },
} as const;

const requestsOfReaders = Object.entries(requests.ofReaders)
  .map(([name, module]) => `${name}: require('../protocol/requests/${module}')`)
  .join(", ");

/** What an `admin` can do that no component asks it for. */
const unusedTasks = [
  "createPartitions",
  "deleteTopics",
  "fetchTopicOffsets",
  "fetchTopicOffsetsByTimestamp",
  "fetchOffsets",
  "resetOffsets",
  "setOffsets",
  "describeConfigs",
  "alterConfigs",
  "listGroups",
  "describeGroups",
  "deleteGroups",
  "deleteTopicRecords",
  "createAcls",
  "describeAcls",
  "deleteAcls",
  "alterPartitionReassignments",
  "listPartitionReassignments",
];

/** Of kafkajs 2.2.4. */
const patches: readonly FilePatch[] = [
  {
    file: "src/network/requestQueue/index.js",
    about: "its idle loop",
    // Nothing waits, so no timer is needed: a new request checks the queue itself. For requests that wait, the pause is
    // never negative, which Node would warn about.
    edits: [{ original: idleLoop, replacement: `${idleLoop}    if (this.pending.length === 0) return\n` }],
  },
  {
    file: "src/protocol/recordBatch/v0/decoder.js",
    about: "the checksum of a batch, and batches that cannot be read",
    // Brokers give out what lies on their disks as it is. The checksum is over all that follows it (KIP-98). What has the right
    // checksum and cannot be unpacked came so from its producer, and will never be read: it takes the place of its last record.
    edits: [
      {
        original: checksum,
        replacement: `  const crc = decoder.readInt32()
  if (crc >>> 0 !== require('../crc32C')(decoder.buffer.subarray(decoder.offset))) {
    throw new Error('the record batch at offset ' + firstOffset + ' is corrupt: its checksum does not match')
  }
`,
      },
      {
        original: readRecords,
        replacement: `  const batchContext = { ...recordContext, magicByte, parts: 0, unpacked: 0 }
  const records = await decodeRecords(codec, decoder, batchContext).catch(unreadable => [{
    magicByte, attributes: 0, timestamp: maxTimestamp, offset: String(BigInt(firstOffset) + BigInt(lastOffsetDelta)),
    key: null, value: Buffer.alloc(0), headers: {}, isControlRecord: isControlBatch, batchContext, unreadable
  }])
`,
      },
      {
        original: `  const decompressedRecordBuffer = await codec.decompress(compressedRecordsBuffer)
`,
        replacement: `  if (length > ${mostParts}) throw new Error('the batch has more than ${mostParts} records')
  recordContext.parts = length
  const decompressedRecordBuffer = await codec.decompress(compressedRecordsBuffer)
  recordContext.unpacked = decompressedRecordBuffer.length
`,
      },
    ],
  },
  {
    file: "src/protocol/recordBatch/record/v0/decoder.js",
    about: "the headers of a record",
    // Brokers do not look at the headers in compressed batches.
    edits: [
      {
        original: readHeaders,
        replacement: `  const count = decoder.readVarInt()
  const parts = (batchContext.parts || 0) + Math.max(count, 0)
  if (parts > ${mostParts}) throw new Error('the batch has more than ${mostParts} records and headers')
  batchContext.parts = parts
  if (2 * count > decoder.buffer.length - decoder.offset) throw new Error('a record has fewer headers than it says')
  const headers = Object.create(null)
  for (let index = 0; index < count; index++) {
    const header = HeaderDecoder(decoder)
    const present = headers[header.key]
    if (present === undefined) headers[header.key] = header.value
    else if (Array.isArray(present)) present.push(header.value)
    else headers[header.key] = [present, header.value]
  }
`,
      },
    ],
  },
  {
    file: "src/protocol/requests/fetch/v4/decodeMessages.js",
    about: "the batches of a partition",
    // Calls take some hundred thousand arguments at most. What is left out here is fetched next.
    edits: [
      {
        original: `        records.push(...recordBatch.records)
`,
        replacement: `        for (const record of recordBatch.records) records.push(record)
        const [first] = recordBatch.records
        const { unpacked = 0, parts = 0 } = first ? first.batchContext : {}
        decoder.unpacked = (decoder.unpacked || 0) + unpacked + ${bytesOfPart} * parts
        if (decoder.unpacked > ${enoughUnpacked}) break
`,
      },
    ],
  },
  {
    file: "src/index.js",
    about: "the consumer",
    // `createConsumer` of `group.ts` brings it.
    edits: [
      { original: "const createConsumer = require('./consumer')\n", replacement: "" },
      { original: "return createConsumer({", replacement: "return this.createConsumer({" },
    ],
  },
  {
    file: "src/consumer/index.js",
    about: "the requests of readers",
    edits: [
      {
        original: "const Long = require('../utils/long')\n",
        replacement: `Object.assign(require('../protocol/requests').requests, { ${requestsOfReaders} })
const Long = require('../utils/long')
`,
      },
    ],
  },
  {
    file: "src/protocol/requests/index.js",
    about: "the table of requests",
    edits: Object.entries({ ...requests.ofReaders, ...requests.unused }).map(([name, module]) => ({
      original: `  ${name}: require('./${module}'),\n`,
      replacement: `  ${name}: noImplementedRequestDefinitions,\n`,
    })),
  },
  {
    file: "src/admin/index.js",
    about: "the tasks of an administrator",
    edits: [
      { original: "const createConsumer = require('../consumer')\n", replacement: "" },
      ...unusedTasks.flatMap((name) => [
        { original: new RegExp(`^  const ${name} = async .*?^  }\n`, "ms"), replacement: "" },
        { original: `    ${name},\n`, replacement: "" },
      ]),
    ],
  },
  {
    file: "src/broker/index.js",
    about: "the requests of an administrator",
    edits: Object.values(requests.unused).map((name) => ({
      original: new RegExp(`^  async ${name}\\(.*?^  }\n`, "ms"),
      replacement: "",
    })),
  },
  {
    file: "package.json",
    about: "what errors say of it",
    edits: [
      { original: /^.*?(?="bugs": {)/s, replacement: "{ " },
      { original: /(?<="bugs": {[^}]*}).*$/s, replacement: " }" },
    ],
  },
];

/** An esbuild plugin that patches kafkajs wherever a bundle has it. */
export function kafkajsPatch(): Plugin {
  return sourcePatch("kafkajs", patches);
}
