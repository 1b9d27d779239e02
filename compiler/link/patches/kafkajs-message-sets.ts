// Patches how kafkajs reads messages in the formats before Kafka 0.11, which brokers before 4.0 may keep: verifies their checksums,
// and limits and reports sets that cannot be unpacked, as `kafkajs.ts` does with batches of records.

import type { FilePatch } from "./source-patch.ts";

/** What one response may unpack to. */
export interface UnpackLimits {
  /** Maximum parts of one set, each an object. */
  readonly mostParts: number;
  /** Bytes that a part counts for in addition to its own. */
  readonly bytesOfPart: number;
  /** Unpacked bytes of a response after which sets are fetched next. */
  readonly enoughUnpacked: number;
}

/** Returns the patches of the decoders. */
export function messageSetPatches({ mostParts, bytesOfPart, enoughUnpacked }: UnpackLimits): FilePatch[] {
  return [
    {
      file: "src/protocol/messageSet/decoder.js",
      about: "the checksum of a message, and sets that cannot be unpacked",
      // A set is the value of a message, which has the offset of the last message of the set. One message replaces a set
      // that cannot be unpacked, at this offset.
      edits: [
        {
          original: "module.exports = async (primaryDecoder, size = null) => {\n",
          replacement:
            "module.exports = async (primaryDecoder, size = null, response = primaryDecoder) => {\n",
        },
        {
          original: "      const message = EntryDecoder(messageSetDecoder)\n",
          replacement: `      const at = messageSetDecoder.offset
      const message = EntryDecoder(messageSetDecoder)
      const checked = messageSetDecoder.buffer.subarray(at + 16, messageSetDecoder.offset)
      if (message.crc >>> 0 !== require('node:zlib').crc32(checked)) {
        throw new Error('the message at offset ' + message.offset + ' is corrupt: its checksum does not match')
      }
`,
        },
        {
          original: /^ {8}const buffer = await codec\.decompress\(message\.value\)\n.*?\n(?= {6}\} else)/ms,
          replacement: `        let unpacked = 0
        const entries = await codec.decompress(message.value).then(buffer => {
          unpacked = buffer.length
          return EntriesDecoder(new Decoder(buffer), message)
        }).catch(unreadable => [{ ...message, attributes: 0, key: null, value: Buffer.alloc(0), unreadable }])
        for (const entry of entries) messages.push(entry)
        response.unpacked = (response.unpacked || 0) + unpacked + ${bytesOfPart} * entries.length
        if (response.unpacked > ${enoughUnpacked}) break
`,
        },
        {
          original: "    messages.push(EntryDecoder(decoder))\n",
          replacement: `    if (messages.length === ${mostParts}) throw new Error('the set has more than ${mostParts} messages')
    messages.push(EntryDecoder(decoder))
`,
        },
        {
          original: "    for (const message of messages) {\n",
          replacement: `    for (const message of messages) {
      // Topics with \`LogAppendTime\`: brokers set the time of the whole set only.
      if (compressedMessage.attributes & 8) message.timestamp = compressedMessage.timestamp
`,
        },
        {
          original: "  if (compressedMessage.magicByte > 0",
          replacement: `  if (messages.length === 0) throw new Error('the set has no messages')
  if (compressedMessage.magicByte > 0`,
        },
      ],
    },
    {
      file: "src/protocol/message/decoder.js",
      about: "the length of a message",
      // Brokers do not check the lengths of a message's fields; a negative one would lead back to earlier bytes.
      edits: [
        {
          original: "  const remainingBytes = Buffer.byteLength(decoder.slice(size).buffer)\n",
          replacement: `  if (size < 0) throw new Error('a message has a negative length')
  const rest = decoder
  decoder = rest.slice(size)
  const remainingBytes = decoder.buffer.length
`,
        },
        {
          original: "  const crc = decoder.readInt32()\n",
          replacement: "  rest.forward(size)\n  const crc = decoder.readInt32()\n",
        },
        {
          original: "  return Object.assign({ offset,",
          replacement: `  if (decoder.offset !== size) throw new Error('the fields of a message do not fill it')
  return Object.assign({ offset,`,
        },
      ],
    },
  ];
}
