// Declares modules of kafkajs that its types leave out.

declare module "kafkajs/src/consumer/index.js" {
  /** Creates the consumers of a client. */
  const createConsumer: (options: object) => unknown;
  export = createConsumer;
}
