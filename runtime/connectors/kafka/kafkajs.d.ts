// Declares modules of kafkajs that its types leave out.

declare module "kafkajs/src/consumer/index.js" {
  /** Creates the consumers of a client. */
  const createConsumer: (options: object) => unknown;
  export = createConsumer;
}

declare module "kafkajs/src/protocol/recordBatch/crc32C/index.js" {
  /** Returns the CRC-32C of the bytes as an unsigned number. */
  const crc32C: (bytes: Buffer) => number;
  export = crc32C;
}

declare module "kafkajs/src/protocol/error.js" {
  /** Returns the error that a code of a response stands for. */
  export const createErrorFromCode: (code: number) => Error;
}
