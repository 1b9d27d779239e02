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

declare module "kafkajs/src/protocol/requests/apiKeys.js" {
  /** The numbers of the requests. */
  const apiKeys: { readonly Metadata: number; readonly Produce: number };
  export = apiKeys;
}

declare module "kafkajs/src/protocol/requests/index.js" {
  /** The versions of each request, from which a broker chooses. */
  export const requests: { readonly Metadata: unknown };
}
