// `npm start`: an embedded MQTT broker, the example's website, and the gateway compiled from orders.yaml.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { Aedes } from "aedes";

const folder = import.meta.dirname;
const sluice = join(folder, "..", "..", "bin", "sluice.js");

const broker = await startBroker(Number(process.env.QUICKSTART_MQTT_PORT ?? "1883"));
const website = await startWebsite();

const gateway = spawn(
  process.execPath,
  [sluice, "run", join(folder, "orders.yaml"), ...process.argv.slice(2)],
  {
    stdio: ["inherit", "pipe", "inherit"],
    env: {
      ...process.env,
      QUICKSTART_MQTT_PORT: String(portOf(broker.server)),
      QUICKSTART_UPSTREAM: `http://127.0.0.1:${portOf(website)}`,
    },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => gateway.kill(signal));
gateway.stdout.pipe(process.stdout);
explainOnceListening();

const [code] = (await once(gateway, "exit")) as [number | null];
broker.server.close();
website.close();
website.closeAllConnections();
broker.aedes.close();
process.exitCode = code ?? 1;

/** A real MQTT broker on a TCP port of this machine; port 0 takes a free one. */
async function startBroker(port: number): Promise<{ server: Server; aedes: Aedes }> {
  const aedes = await Aedes.createBroker();
  const server = createTcpServer(aedes.handle);
  await listen(server, port, "the embedded MQTT broker; QUICKSTART_MQTT_PORT changes its port");
  return { server, aedes };
}

/** The upstream behind the gateway: one page that shows the events. */
async function startWebsite(): Promise<HttpServer> {
  const page = await readFile(join(folder, "page.html"));
  const server = createHttpServer((request, response) => {
    if (request.url !== "/") {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is only one page here.\n");
      return;
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await listen(server, 0, "the example's website");
  return server;
}

async function listen(server: Server, port: number, what: string): Promise<void> {
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    process.stderr.write(
      `Port ${port} is not free for ${what}: ${error instanceof Error ? error.message : error}\n`,
    );
    process.exit(1);
  }
}

function portOf(server: Server): number {
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port;
}

/** Says what to try, once the gateway has said where it listens. */
function explainOnceListening(): void {
  let log = "";
  const read = (chunk: Buffer): void => {
    log += chunk.toString();
    const line = log.split("\n").find((each) => each.includes('"msg":"listening"') && each.endsWith("}"));
    const gatewayAddress = line === undefined ? undefined : (JSON.parse(line) as { gateway: string }).gateway;
    if (gatewayAddress === undefined) return;
    gateway.stdout.off("data", read);
    process.stderr.write(`
The gateway is compiled and runs. Watch valuable orders in a browser:

  ${gatewayAddress}/orders/

or here, and place one from a second terminal:

  curl -N -H 'Accept: text/event-stream' ${gatewayAddress}/orders/events
  curl -d '{"id":"a1","quantity":3,"unit_price":"19.90"}' ${gatewayAddress}/orders/new

`);
  };
  gateway.stdout.on("data", read);
}
