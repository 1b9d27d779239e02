// Reads the settings of the service from `management.yaml` and the environment, which takes precedence.

import type { KeyObject } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { ManagementSettings } from "../compiler/index.ts";
import { readSigningKey } from "../runtime/gateway/artifact/signature.ts";
import { readBytesInFlight } from "../runtime/gateway/settings.ts";
import type { ListenerTlsBlock } from "../runtime/http/listener/certificates.ts";
import { type Environment, EnvironmentError } from "../runtime/process/environment.ts";
import { type ListenAddress, parseListenAddress } from "../runtime/process/listen-address.ts";
import { type Access, readAccess } from "../runtime/rest/access.ts";
import { readStoreAddress, type StoreAddress } from "../runtime/store/address.ts";
import { Tenants } from "./organisations/tenants.ts";
import type { ServiceSignOnSettings } from "./sign-on/sign-on.ts";

/** The settings of the service, with defaults applied. */
export interface ServiceSettings {
  /** Whether the operations for streaming APIs exist. */
  readonly streaming: boolean;
  readonly listen: ListenAddress;
  /** The TLS settings of the listener; without them it uses plain HTTP. */
  readonly tls?: ListenerTlsBlock;
  readonly store: StoreAddress;
  /** The organisation whose keys may fetch deployments, and to which keys without an organisation belong. */
  readonly organisation: string;
  /** The keys of the environment, which have all permissions. */
  readonly access: Access;
  /** The settings of single sign-on; absent if people have only keys. */
  readonly signOn?: ServiceSignOnSettings;
  /** The path of the gateways' `gateway.yaml`. */
  readonly gatewayFile?: string;
  /** What each organisation is allowed and assigned. */
  readonly tenants: Tenants;
  /** Parts of names whose values are hidden when messages are watched; absent if watching is switched off. */
  readonly tail?: { readonly redact: readonly string[] };
  /** The maximum size of a definition, in bytes. */
  readonly maxBodyBytes: number;
  /** The maximum size of all bodies held in memory at the same time, in bytes, for all clients together. */
  readonly maxBytesInFlight: number;
  /** The maximum duration of checking a definition, in milliseconds. */
  readonly checkTimeout: number;
  /** The key that signs deployments. */
  readonly signingKey: KeyObject | undefined;
  /** Milliseconds that requests in progress get to finish when the service stops. */
  readonly shutdownTimeout: number;
}

const mebibyte = 1024 * 1024;

/**
 * Reads `GW_*` variables, which override `written`, the contents of the file at `path`. Throws an `EnvironmentError`
 * that names each value that is not valid. Without a key the service does not start.
 */
export function readServiceSettings(
  env: Environment,
  written: ManagementSettings,
  path: string,
): ServiceSettings {
  const {
    streaming,
    listen,
    store,
    organisation = "default",
    gateway,
    limits,
    tail,
    organisations,
    single_sign_on: signOn,
  } = written;
  const { address: own, tls } = typeof listen === "object" ? listen : { address: listen };
  const address = env.text("GW_MANAGEMENT_LISTEN", own ?? "127.0.0.1:3000");
  const parsed = parseListenAddress(address);
  if (parsed === undefined)
    env.refuse("GW_MANAGEMENT_LISTEN", `is not an address such as 127.0.0.1:3000: ${address}`);
  if (tls !== undefined && signOn?.url.startsWith("http:") === true) {
    throw new EnvironmentError([
      "single_sign_on.url begins with http:, but the service uses TLS: write https:",
    ]);
  }
  const pem = env.text("GW_SIGNING_KEY", "");
  const signingKey = pem === "" ? undefined : readSigningKey(pem);
  if (pem !== "" && signingKey === undefined)
    env.refuse("GW_SIGNING_KEY", "is not a private Ed25519 key, in PEM");
  return {
    signingKey,
    streaming: env.boolean("GW_MANAGEMENT_STREAMING_ENABLED", streaming?.enabled ?? false),
    listen: parsed ?? { port: 0 }, // never used: the environment has a problem
    ...(tls && { tls: certificateOf(tls, path) }),
    store: readStoreAddress(env, store || "sqlite:./management.db") ?? { kind: "sqlite", file: "" }, // as above
    organisation,
    tenants: new Tenants(organisations),
    access: readAccess(env, "GW_MANAGEMENT_API_KEYS", organisation),
    ...(signOn && { signOn: { ...signOn, secret: env.text("GW_MANAGEMENT_CLIENT_SECRET") } }),
    ...(gateway !== undefined && { gatewayFile: resolve(dirname(path), gateway) }),
    ...(tail?.enabled === true && { tail: { redact: tail.redact ?? [] } }),
    maxBodyBytes: limits?.max_body_bytes ?? 16 * mebibyte,
    maxBytesInFlight: readBytesInFlight(env, limits?.max_bytes_in_flight),
    checkTimeout: limits?.check_timeout ?? 30_000,
    shutdownTimeout: env.duration("GW_SHUTDOWN_TIMEOUT", 30_000),
  };
}

type WrittenTls = NonNullable<Exclude<ManagementSettings["listen"], string | undefined>["tls"]>;

/** Returns the `listen.tls` block for the listener. Its file names are relative to the settings at `path`. */
function certificateOf(
  { cert_file, key_file, client_ca_file, ...rest }: WrittenTls,
  path: string,
): ListenerTlsBlock {
  const from = (file: string) => resolve(dirname(path), file);
  return {
    ...rest,
    cert_file: from(cert_file),
    key_file: from(key_file),
    ...(client_ca_file && { client_ca_file: from(client_ca_file), client_certificates: "required" }),
  };
}
