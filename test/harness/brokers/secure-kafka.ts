import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificates, createCertificates } from "../certificates.ts";
import { freePort } from "../ports.ts";
import { startKafka } from "./kafka.ts";

/** An Apache Kafka with a listener for each authentication method. */
export interface SecureKafka {
  /** For the clients of the test: unencrypted, without authentication or access control. */
  readonly plain: string;
  /** Encrypted; clients authenticate with a certificate. */
  readonly certified: string;
  /** Encrypted; clients authenticate with SASL. */
  readonly sasl: string;
  /** Unencrypted; redirects clients to a host name that does not resolve, `kafka.invalid`. */
  readonly misdirecting: string;
  readonly certificates: Certificates;
  /** The user for PLAIN and SCRAM. */
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const [user, password] = ["alice", "open-sesame"];
const security = "org.apache.kafka.common.security";

/**
 * Starts it. OAUTHBEARER accepts any unsigned token that has not expired (see `unsignedToken`). `settings` are
 * additional settings of the broker.
 */
export async function startSecureKafka(
  settings: Readonly<Record<string, string>> = {},
): Promise<SecureKafka> {
  const certificates = await createCertificates();
  const ports = {
    ...{ plain: await freePort(), certified: await freePort() },
    ...{ sasl: await freePort(), misdirecting: await freePort() },
  };
  const controller = await freePort();
  const listeners = Object.entries(ports).map(([name, port]) => `${name.toUpperCase()}://127.0.0.1:${port}`);
  const advertised = listeners.map((listener) =>
    listener.startsWith("MISDIRECTING") ? "MISDIRECTING://kafka.invalid:9092" : listener,
  );
  const broker = await startKafka({
    port: ports.plain,
    users: { [user]: password },
    settings: {
      listeners: [...listeners, `CONTROLLER://127.0.0.1:${controller}`].join(","),
      "advertised.listeners": advertised.join(","),
      "listener.security.protocol.map":
        "PLAIN:PLAINTEXT,CERTIFIED:SSL,SASL:SASL_SSL,MISDIRECTING:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "inter.broker.listener.name": "PLAIN",
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      ...certificateSettings(certificates),
      "listener.name.certified.ssl.client.auth": "required",
      ...saslSettings("listener.name.sasl"),
      ...settings,
    },
  });
  return {
    plain: broker.address,
    certified: `127.0.0.1:${ports.certified}`,
    sasl: `127.0.0.1:${ports.sasl}`,
    misdirecting: `127.0.0.1:${ports.misdirecting}`,
    certificates,
    user,
    password,
    stop: () => broker.stop(),
  };
}

/** Kafka requires the key and its certificate in one file. */
function certificateSettings({ directory, server, authority }: Certificates): Record<string, string> {
  const keystore = join(directory, "kafka.pem");
  writeFileSync(keystore, server.key + server.cert);
  return {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": keystore,
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": authority.certFile,
  };
}

function saslSettings(listener: string): Record<string, string> {
  const scram = `${security}.scram.ScramLoginModule required;`;
  return {
    [`${listener}.sasl.enabled.mechanisms`]: "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
    [`${listener}.plain.sasl.jaas.config`]: `${security}.plain.PlainLoginModule required user_${user}="${password}";`,
    [`${listener}.scram-sha-256.sasl.jaas.config`]: scram,
    [`${listener}.scram-sha-512.sasl.jaas.config`]: scram,
    [`${listener}.oauthbearer.sasl.jaas.config`]: `${security}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
  };
}

/** Returns an unsigned token that expires after `milliseconds`. */
export function unsignedToken(milliseconds = 3_600_000): string {
  const now = Date.now() / 1000;
  const parts = [{ alg: "none" }, { sub: user, iat: now - 1, exp: now + milliseconds / 1000 }];
  return `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;
}
