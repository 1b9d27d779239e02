// Patches kafkajs: removes its idle loop, keeps time by a steady clock, bounds how long a broker may hold requests back, drops
// connections to brokers that do not answer and tries each once, verifies the checksums of batches, limits what one batch can unpack
// to, reads records with fewer objects, sends requests with fewer copies, and removes code that a gateway never uses (90 KB of the
// bundle, and another 90 KB if nothing is read from Kafka).

import type { Plugin } from "esbuild";
import { messageSetPatches } from "./kafkajs-message-sets.ts";
import { type FilePatch, sourcePatch, steadyClock } from "./source-patch.ts";

/** The function at whose start the patch is inserted (upstream issues 1751, 1755, 1768). */
const idleLoop = `  scheduleCheckPendingRequests() {
`;

/** Maximum records and headers of one batch: a few kilobytes may declare any number of empty ones, each an object. */
const mostParts = 500_000;

/** Bytes that a record or header counts for in addition to its own. */
const bytesOfPart = 128;

/** Unpacked bytes of one response after which only the first batch of each partition is read; others are fetched next. */
const enoughUnpacked = 64 * 1024 * 1024;

/** The loop over single bytes and its table, to the end of the file. */
const checksumOfBytes = /^const crc32C = .*$/ms;

/**
 * A checksum takes two words at once, which is three times as fast: `T[256 * n + byte]` is the remainder of a byte that n zero
 * bytes follow. Words of a big-endian processor are in the other order, so that it takes bytes.
 */
const checksumOfWords = `const T = new Int32Array(2048)
for (let byte = 0; byte < 256; byte++) {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0x82f63b78 : 0)
  T[byte] = rest
}
for (let at = 256; at < 2048; at++) T[at] = T[T[at - 256] & 255] ^ (T[at - 256] >>> 8)
const mostWords = new Uint8Array(Uint32Array.of(1).buffer)[0] * 2 ** 30
const overBytes = (crc, buffer, from, to) => {
  for (let at = from; at < to; at++) crc = T[(crc ^ buffer[at]) & 255] ^ (crc >>> 8)
  return crc
}
module.exports = buffer => {
  const { length, byteOffset } = buffer
  const start = Math.min(length, -byteOffset & 3)
  const count = Math.min((length - start) >>> 3 << 1, mostWords)
  const words = new Int32Array(buffer.buffer, count && byteOffset + start, count)
  let crc = overBytes(-1, buffer, 0, start)
  for (let at = 0; at < count; at += 2) {
    const first = crc ^ words[at]
    const second = words[at + 1]
    crc = T[1792 + (first & 255)] ^ T[1536 + (first >>> 8 & 255)] ^ T[1280 + (first >>> 16 & 255)] ^ T[1024 + (first >>> 24)] ^
      T[768 + (second & 255)] ^ T[512 + (second >>> 8 & 255)] ^ T[256 + (second >>> 16 & 255)] ^ T[second >>> 24]
  }
  return ~overBytes(crc, buffer, start + 4 * count, length) >>> 0
}
`;

/** The code that reads the fields of a record. It needs some twenty objects for each, and more for each header. */
const readFields = /^ {2}const attributes = decoder\.readInt8\(\)\n.*?(?=^ {2}return \{\n)/ms;

/** Reads the fields where they are, and offsets and timestamps as numbers where these are exact. */
const fieldsInPlace = `  const length = decoder.readVarInt()
  const start = decoder.offset
  const end = start + length
  if (length < 0 || end > decoder.buffer.length) throw new Error('a record is longer than its batch')
  const attributes = decoder.readInt8()
  const { offset: firstNumber = NaN, time: firstTime = NaN } = batchContext
  let zigzag = 0
  let byte = 128
  for (let factor = 1; byte > 127 && factor < 2 ** 56; factor *= 128) {
    byte = decoder.buffer[decoder.offset++]
    zigzag += (byte & 127) * factor
  }
  let timestamp = firstTime + (zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2)
  if (byte > 127 || ![firstTime, zigzag, timestamp].every(Number.isSafeInteger)) {
    decoder.offset = start + 1
    timestamp = Long.fromValue(firstTimestamp).add(decoder.readVarLong()).toString()
  }
  if (timestampType === TimestampTypes.LOG_APPEND_TIME && maxTimestamp) timestamp = maxTimestamp
  const offsetDelta = decoder.readVarInt()
  let offset = firstNumber + offsetDelta
  if (!Number.isSafeInteger(firstNumber) || !Number.isSafeInteger(offset))
    offset = Long.fromValue(firstOffset).add(offsetDelta).toString()
  const key = bytesWithin(decoder, end)
  const value = bytesWithin(decoder, end)
  const count = decoder.readVarInt()
  const parts = (batchContext.parts || 0) + Math.max(count, 0)
  if (parts > ${mostParts}) throw new Error('the batch has more than ${mostParts} records and headers')
  batchContext.parts = parts
  if (2 * count > end - decoder.offset) throw new Error('a record has fewer headers than it says')
  const headers = count > 0 ? Object.create(null) : noHeaders
  for (let index = 0; index < count; index++) {
    const name = String(bytesWithin(decoder, end))
    const value = bytesWithin(decoder, end)
    const present = headers[name]
    if (present === undefined) headers[name] = value
    else if (Array.isArray(present)) present.push(value)
    else headers[name] = [present, value]
  }
  if (decoder.offset > end) throw new Error('a record is longer than it says')
  decoder.offset = end

`;

/** What `fieldsInPlace` uses. */
const bytesWithin = `const noHeaders = Object.freeze(Object.create(null))
const bytesWithin = (decoder, end) => {
  const length = decoder.readVarInt()
  if (length === -1) return null
  const start = decoder.offset
  if (length < 0 || start + length > end) throw new Error('a record is longer than it says')
  decoder.offset = start + length
  return decoder.buffer.subarray(start, start + length)
}

`;

/**
 * Requests: those of readers are included with the consumer; those that kafkajs sends for no component are removed. Gateways
 * write without its producer.
 */
const requests = {
  ofReaders: "Fetch ListOffsets OffsetCommit OffsetFetch JoinGroup Heartbeat LeaveGroup SyncGroup".split(" "),
  unused:
    `Produce DescribeGroups ListGroups DeleteTopics DeleteRecords AddPartitionsToTxn AddOffsetsToTxn EndTxn TxnOffsetCommit
    DescribeAcls CreateAcls DeleteAcls DescribeConfigs AlterConfigs CreatePartitions DeleteGroups
    AlterPartitionReassignments ListPartitionReassignments`.split(/\s+/),
};

/** Returns the module of a request, which is also its method of a broker. */
const moduleOf = (request: string) => request.charAt(0).toLowerCase() + request.slice(1);

/** The code that includes the requests of readers. */
const includedRequests = `Object.assign(require('../protocol/requests').requests, { ${requests.ofReaders
  .map((name) => `${name}: require('../protocol/requests/${moduleOf(name)}')`)
  .join(", ")} })
`;

/** Exports that only the producer and the removed functions of `admin` need, by their modules. */
const unusedExports: Readonly<Record<string, string>> = {
  Partitioners: "producer/partitioners",
  ConfigResourceTypes: "protocol/configResourceTypes",
  ConfigSource: "protocol/configSource",
  AclResourceTypes: "protocol/aclResourceTypes",
  AclOperationTypes: "protocol/aclOperationTypes",
  AclPermissionTypes: "protocol/aclPermissionTypes",
  ResourcePatternTypes: "protocol/resourcePatternTypes",
};

/** Functions of `admin` that no component uses. */
const unusedTasks =
  `createPartitions deleteTopics fetchTopicOffsets fetchTopicOffsetsByTimestamp fetchOffsets resetOffsets
  setOffsets describeConfigs alterConfigs listGroups describeGroups deleteGroups deleteTopicRecords createAcls describeAcls
  deleteAcls alterPartitionReassignments listPartitionReassignments`.split(/\s+/);

/** Milliseconds that a broker may take to say which requests and logins it supports; it answers that at once. */
const longestFirstWait = 10_000;

/**
 * Milliseconds that requests to a broker are held back at most because it says that a quota is exceeded. Waiting requests have no
 * time limit, so that a longer wait would stop writes in silence. A broker that means it answers nothing meanwhile, which is
 * reported.
 */
const longestThrottle = 60_000;

/** The patches of the idle loop, which test programs apply, too. */
export const requestQueue: readonly FilePatch[] = [
  {
    file: "src/network/requestQueue/index.js",
    about: "its idle loop, the first requests to a broker, and how long a broker may hold requests back",
    // If nothing waits, no timer is needed: a new request checks the queue itself. For waiting requests the pause is
    // never negative, which Node would warn about.
    edits: [
      { original: idleLoop, replacement: `${idleLoop}    if (this.pending.length === 0) return\n` },
      {
        original: `      this.logger.debug(\`Client side throttling in effect for \${clientSideThrottleTime}ms\`)
      const minimumThrottledUntil = Date.now() + clientSideThrottleTime
`,
        replacement: `      if (clientSideThrottleTime > 1000) this.logger.error('Kafka holds requests back because a quota is exceeded')
      const minimumThrottledUntil = Date.now() + Math.min(clientSideThrottleTime, ${longestThrottle})
`,
      },
      // A broker answers these requests at once, unlike a fetch: a longer wait only delays the next address.
      {
        original: "const requestTimeout = Math.max(defaultRequestTimeout, customRequestTimeout || 0)",
        replacement: `const requestTimeout = /^(ApiVersions|SaslHandshake)$/.test(pushedRequest.entry.apiName)
    ? Math.min(defaultRequestTimeout, ${longestFirstWait})
    : Math.max(defaultRequestTimeout, customRequestTimeout || 0)`,
      },
      steadyClock(4),
    ],
  },
  {
    file: "src/network/requestQueue/socketRequest.js",
    about: "the time of a request",
    edits: [steadyClock(4)],
  },
];

/**
 * A request is copied for each of its heads. Large parts stay beside `buf` with this method, until the
 * whole is read. They must not change before.
 */
const attach = `  attach(parts, length) {
    this.parts = this.parts || []
    for (const part of [this.buf.subarray(0, this.offset), ...parts]) this.parts.push(part)
    this.before = (this.before || 0) + this.offset + length
    this.buf = this.buf.subarray(this.offset)
    this.offset = 0
  }

  writeBufferInternal(buffer) {
    if (buffer.length > 2048) return this.attach([buffer], buffer.length)
`;

/** Patches for kafkajs 2.2.4. */
const patches: readonly FilePatch[] = [
  ...requestQueue,
  {
    file: "src/network/connection.js",
    about: "responses with an impossible length",
    // Reading them would throw outside of any request, and end the process.
    edits: [
      {
        original: "      const expectedResponseSize = decoder.readInt32()\n",
        replacement: `      const expectedResponseSize = decoder.readInt32()
      if (expectedResponseSize < (this.authHandlers ? 0 : Decoder.int32Size())) {
        Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: Decoder.int32Size() })
        this.socket.destroy(new Error('a response has the impossible length ' + expectedResponseSize))
        return
      }
`,
      },
    ],
  },
  {
    file: "src/protocol/encoder.js",
    about: "the parts of a request",
    edits: [
      { original: "  writeBufferInternal(buffer) {\n", replacement: attach },
      { original: "this.buf = Buffer.alloc(", replacement: "this.buf = Buffer.allocUnsafe(" },
      { original: "newBuffer = Buffer.alloc(", replacement: "newBuffer = Buffer.allocUnsafe(" },
      {
        original: "    return this.buf.slice(0, this.offset)\n",
        replacement: `    const own = this.buf.subarray(0, this.offset)
    if (!this.parts) return own
    this.buf = Buffer.concat([...this.parts, own])
    Object.assign(this, { offset: this.buf.length, parts: undefined, before: 0 })
    return this.buf
`,
      },
      { original: "    return this.offset\n", replacement: "    return (this.before || 0) + this.offset\n" },
      {
        original: "    this.writeBufferInternal(value.buffer)\n",
        replacement: `    if (value.parts) this.attach(value.parts, value.before)
    this.writeBufferInternal(value.parts ? value.buf.subarray(0, value.offset) : value.buffer)
`,
      },
    ],
  },
  {
    file: "src/protocol/recordBatch/crc32C/crc32C.js",
    about: "the speed of checksums",
    edits: [{ original: checksumOfBytes, replacement: checksumOfWords }],
  },
  {
    file: "src/protocol/recordBatch/v0/decoder.js",
    about: "the checksum of a batch, and batches that cannot be read",
    // Brokers send the data on their disks unchanged. The checksum covers everything after it (KIP-98). A batch with
    // the right checksum that cannot be unpacked was produced like this and is never readable: one record replaces it,
    // at its last offset.
    edits: [
      {
        original: "  const crc = decoder.readInt32() // eslint-disable-line no-unused-vars\n",
        replacement: `  const crc = decoder.readInt32()
  if (crc >>> 0 !== require('../crc32C')(decoder.buffer.subarray(decoder.offset))) {
    throw new Error('the record batch at offset ' + firstOffset + ' is corrupt: its checksum does not match')
  }
`,
      },
      {
        original: /^ {2}const recordBuffer = decoder\.readVarIntBytes\(\)\n.*?\n(?=\})/ms,
        replacement: "  return RecordDecoder(decoder, recordContext)\n",
      },
      {
        original: "  const records = await decodeRecords(codec, decoder, { ...recordContext, magicByte })\n",
        replacement: `  const start = { offset: Number(firstOffset), time: Number(firstTimestamp) }
  const batchContext = { ...recordContext, ...start, magicByte, parts: 0, unpacked: 0 }
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
    about: "the fields of a record",
    // Brokers do not check the records in compressed batches.
    edits: [
      { original: readFields, replacement: fieldsInPlace },
      { original: "module.exports = (decoder", replacement: `${bytesWithin}module.exports = (decoder` },
    ],
  },
  {
    file: "src/consumer/batch.js",
    about: "the records before the offset of a fetch",
    edits: [
      {
        original: "      Long.fromValue(message.offset).gte(longFetchedOffset)\n",
        replacement: `      typeof message.offset === 'number'
        ? message.offset >= Number(fetchedOffset)
        : Long.fromValue(message.offset).gte(longFetchedOffset)
`,
      },
    ],
  },
  {
    file: "src/protocol/requests/fetch/v4/decodeMessages.js",
    about: "the batches of a partition",
    // A call accepts some hundred thousand arguments at most. Batches that are left out here are fetched next.
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
      {
        original: "return MessageSetDecoder(messagesDecoder, messagesSize)",
        replacement: "return MessageSetDecoder(messagesDecoder, messagesSize, decoder)",
      },
    ],
  },
  ...messageSetPatches({ mostParts, bytesOfPart, enoughUnpacked }),
  {
    file: "index.js",
    about: "its exports",
    edits: Object.entries(unusedExports).flatMap(([name, module]) => [
      { original: `const ${name} = require('./src/${module}')\n`, replacement: "" },
      { original: `  ${name},\n`, replacement: "" },
    ]),
  },
  {
    file: "src/index.js",
    about: "the consumer, and the producer that gateways do not use",
    // `createConsumer` of `group.ts` provides the consumer.
    edits: [
      { original: "const createProducer = require('./producer')\n", replacement: "" },
      { original: /^const warnOfDefaultPartitioner = .*?^}\)\n/ms, replacement: "" },
      { original: /^ {2}producer\({\n.*?^ {2}}\n/ms, replacement: "" },
      { original: "const createConsumer = require('./consumer')\n", replacement: "" },
      { original: "return createConsumer({", replacement: "return this.createConsumer({" },
    ],
  },
  { file: "src/consumer/consumerGroup.js", about: "the time of a heartbeat", edits: [steadyClock(7)] },
  {
    file: "src/consumer/index.js",
    about: "the requests of readers",
    edits: [
      {
        original: "const Long = require('../utils/long')\n",
        replacement: `${includedRequests}const Long = require('../utils/long')
`,
      },
    ],
  },
  {
    file: "src/protocol/requests/index.js",
    about: "the table of requests",
    edits: [...requests.ofReaders, ...requests.unused].map((name) => ({
      original: `  ${name}: require('./${moduleOf(name)}'),\n`,
      replacement: `  ${name}: noImplementedRequestDefinitions,\n`,
    })),
  },
  {
    file: "src/admin/index.js",
    about: "the tasks of an administrator",
    edits: [
      { original: "const createConsumer = require('../consumer')\n", replacement: "" },
      { original: /^(?:const \w+_TYPES = require\(.*\)\n)+/m, replacement: "" },
      ...unusedTasks.flatMap((name) => [
        { original: new RegExp(`^  const ${name} = async .*?^  }\n`, "ms"), replacement: "" },
        { original: `    ${name},\n`, replacement: "" },
      ]),
    ],
  },
  {
    file: "src/broker/index.js",
    about: "connections to brokers that do not answer, and the requests of an administrator",
    edits: [
      // Otherwise the next attempt would take the connection for one that is ready to be used. The callers choose
      // another address only after errors of the connection.
      {
        original: "      await connection.authenticate()\n    } finally {\n",
        replacement: `      await connection.authenticate()
    } catch (e) {
      await this.connectionPool.destroy()
      if (e.name !== 'KafkaJSRequestTimeoutError') throw e
      throw new KafkaJSConnectionError(e.message, { broker: this.brokerAddress })
    } finally {
`,
      },
      {
        original: "const { KafkaJSNonRetriableError } = require('../errors')",
        replacement: "const { KafkaJSConnectionError, KafkaJSNonRetriableError } = require('../errors')",
      },
      ...requests.unused.map((name) => ({
        original: new RegExp(`^  async ${moduleOf(name)}\\(.*?^  }\n`, "ms"),
        replacement: "",
      })),
    ],
  },
  {
    file: "src/cluster/connectionPoolBuilder.js",
    about: "the number of addresses",
    edits: [
      {
        original: "  return {\n    build:",
        replacement: "  return {\n    size: brokers.length,\n    build:",
      },
    ],
  },
  {
    file: "src/cluster/brokerPool.js",
    about: "the attempts at brokers that do not answer, and the age of metadata",
    // Such an attempt takes the whole time limit, so each address gets one; callers retry.
    edits: [
      steadyClock(2),
      {
        original: "if (e.retriable) throw e\n        bail(e)",
        replacement: `const isLast = retryCount + 1 >= this.connectionPoolBuilder.size
        if (e.retriable && !(isLast && /time(d )?out$/.test(e.message))) throw e
        bail(e)`,
      },
    ],
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

/** Returns an esbuild plugin that patches kafkajs in every bundle that contains it. */
export function kafkajsPatch(): Plugin {
  return sourcePatch("kafkajs", patches);
}
