import { GatewayError } from "../../errors.ts";
import { percentDecode } from "../../text/percent.ts";
import { splitCommas } from "../../text/trim.ts";

/** The address of a broker and its protocol. */
export interface MqttAddress {
  readonly protocol: "tcp" | "tls" | "ws" | "wss";
  readonly host: string;
  readonly port: number;
  /** Path and query of a WebSocket address. */
  readonly path: string;
  readonly user: string;
  readonly password: string;
}

const protocols = {
  "mqtt:": { plain: true, protocol: "tcp" },
  "tcp:": { plain: true, protocol: "tcp" },
  "mqtts:": { plain: false, protocol: "tls" },
  "ssl:": { plain: false, protocol: "tls" },
  "tls:": { plain: false, protocol: "tls" },
  "ws:": { plain: true, protocol: "ws" },
  "wss:": { plain: false, protocol: "wss" },
} as const;

const ports = { tcp: 1883, tls: 8883, ws: 80, wss: 443 } as const;
const encryptedKinds = { tcp: "tls", ws: "wss" } as const;

/**
 * Parses texts, each a list of addresses separated by commas. With `encrypted`, addresses whose protocol is
 * unencrypted are encrypted too; otherwise a `tls` block would have no effect on them.
 */
export function parseAddresses(urls: readonly string[], encrypted: boolean): MqttAddress[] {
  return urls.flatMap(splitCommas).map((address) => parseAddress(address, encrypted));
}

function parseAddress(address: string, encrypted: boolean): MqttAddress {
  const url = URL.parse(address.includes("://") ? address : `mqtt://${address}`);
  if (url === null) throw new GatewayError(500, "An address of an MQTT broker cannot be read");
  if (!(url.protocol in protocols)) throw new GatewayError(500, "MQTT does not support this protocol");
  const kind = protocols[url.protocol as keyof typeof protocols]; // the previous line checked it
  const protocol = kind.plain && encrypted ? encryptedKinds[kind.protocol] : kind.protocol;
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? ports[protocol] : Number(url.port),
    path: `${url.pathname || "/"}${url.search}`,
    user: percentDecode(url.username),
    password: percentDecode(url.password),
  };
}
