import { randomUUID } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import { suite } from "uvu";
import { type ContractCase, inputContract, outputContract } from "../../component/contract.ts";
import { natsInput } from "../../runtime/connectors/nats/input.ts";
import { natsOutput } from "../../runtime/connectors/nats/output.ts";
import { nats } from "../harness/brokers.ts";
import { freePort } from "../harness/ports.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { until } from "../harness/wait.ts";

// Connectors of ours keep the contract that packages run on theirs.

const test = suite("contract");
const broker = await nats();
const urls = [broker.address];
const closed = [`nats://127.0.0.1:${await freePort()}`];
const peer = await connect({ servers: broker.address });
const proxy = await startTcpProxy(Number(new URL(broker.address).port));
const proxied = [`nats://127.0.0.1:${proxy.port}`];
test.after(async () => {
  await peer.close();
  await proxy.close();
  await broker.stop();
});

function run(cases: readonly ContractCase[]): void {
  for (const each of cases) test(each.name, each.run);
}

run(
  inputContract(async () => {
    const subject = `contract.${randomUUID()}`;
    return {
      create: () => natsInput({ urls, subject }),
      send: async (text) => peer.publish(subject, text),
      unreachable: () => natsInput({ urls: closed, subject }),
    };
  }),
);

run(
  outputContract(async () => {
    const subject = `contract.${randomUUID()}`;
    const arrived: string[] = [];
    peer.subscribe(subject, { callback: (_, message) => void arrived.push(message.string()) });
    await peer.flush();
    return {
      create: () => natsOutput({ urls: proxied, subject }),
      received: (count) => until(() => arrived.length >= count && arrived),
      holdConfirmations() {
        proxy.mute();
        return proxy.release;
      },
      unreachable: () => natsOutput({ urls: closed, subject }),
    };
  }),
);

test.run();
