import { addressFormat } from "./addresses.ts";

/** A broker that speaks AMQP; in 0.9.1 the path names a virtual host. */
export const amqpAddress = addressFormat(["amqp", "amqps"], {
  title: "the address of an AMQP broker",
  example: "amqp://localhost:5672",
  isSchemeOptional: false,
});
