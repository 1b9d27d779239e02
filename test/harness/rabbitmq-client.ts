import { type ChannelModel, connect } from "amqplib";

/**
 * Connects a test's own client to RabbitMQ. If the connection is lost, prints why, and what the client is asked next
 * fails. Without a listener, the loss would end the process.
 */
export async function connectRabbitmq(address: string): Promise<ChannelModel> {
  const connection = await connect(address);
  connection.on("error", (error) => console.error(`A test's own connection to RabbitMQ is lost: ${error}`));
  return connection;
}
