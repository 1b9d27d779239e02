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
    about: "the checksum of a batch",
    // Brokers give out what lies on their disks as it is. The checksum is over all that follows it (KIP-98).
    edits: [
      {
        original: checksum,
        replacement: `  const crc = decoder.readInt32()
  if (crc >>> 0 !== require('../crc32C')(decoder.buffer.subarray(decoder.offset))) {
    throw new Error('the record batch at offset ' + firstOffset + ' is corrupt: its checksum does not match')
  }
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
