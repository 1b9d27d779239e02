import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mskToken, mskTokenAt, presign } from "../../../runtime/connectors/kafka/msk-token.ts";
import { type Sasl, saslOptions } from "../../../runtime/connectors/kafka/sasl.ts";
import { GatewayError } from "../../../runtime/errors.ts";

const test = suite("kafka tokens");

const key = { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };

test("a presigned URL matches the example of Amazon's documentation", () => {
  const address = presign({
    host: "examplebucket.s3.amazonaws.com",
    path: "/test.txt",
    query: {},
    region: "us-east-1",
    service: "s3",
    credentials: key,
    lifetime: 86_400,
    now: new Date("2013-05-24T00:00:00Z"),
    payload: "UNSIGNED-PAYLOAD",
  });
  const expected = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
  assert.is(new URL(address).searchParams.get("X-Amz-Signature"), expected);
});

test("an Amazon MSK token is a presigned URL with credentials, region and lifetime", () => {
  const token = mskTokenAt("eu-west-1", { ...key, token: "a+b/c=" }, new Date("2026-01-02T03:04:05.678Z"));
  assert.match(token, /^[A-Za-z0-9_-]+$/);
  const address = new URL(Buffer.from(token, "base64url").toString());
  const { "X-Amz-Signature": signature = "", ...others } = Object.fromEntries(address.searchParams);
  assert.is(address.host, "kafka.eu-west-1.amazonaws.com");
  assert.match(signature, /^[0-9a-f]{64}$/);
  assert.equal(others, {
    Action: "kafka-cluster:Connect",
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${key.id}/20260102/eu-west-1/kafka-cluster/aws4_request`,
    "X-Amz-Date": "20260102T030405Z",
    "X-Amz-Expires": "900",
    "X-Amz-Security-Token": "a+b/c=",
    "X-Amz-SignedHeaders": "host",
    "User-Agent": "sluice",
  });
});

/** Returns the token that the client presents to a broker. */
async function shown(sasl: Sasl): Promise<{ readonly value?: string } | undefined> {
  const options = saslOptions(sasl);
  assert.is(options?.mechanism, "oauthbearer");
  return options?.mechanism === "oauthbearer" ? options.oauthBearerProvider() : undefined;
}

test("AWS_MSK_IAM sends a bearer token for each connection", async () => {
  const aws = mskToken({ region: "eu-west-1", credentials: key });
  const token = await shown({ mechanism: "AWS_MSK_IAM", aws });
  assert.match(JSON.stringify(token), /^\{"value":"[A-Za-z0-9_-]+","extensions":\{\}\}$/);
  const unusable = [
    {},
    { region: "eu-west-1" },
    { region: "evil.example/", credentials: key },
    { region: "eu-west-1", credentials: { id: key.id } },
  ];
  for (const block of unusable) {
    const failure = await shown({ mechanism: "AWS_MSK_IAM", aws: mskToken(block) }).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof GatewayError, JSON.stringify(block));
    assert.not.match(failure.message, /EXAMPLE/);
  }
});

test("values that would end a field of the login are rejected, and not quoted", async () => {
  const extended = {
    mechanism: "OAUTHBEARER",
    access_token: "a.b-c",
    extensions: { cluster: "lkc-1 eu" },
  } as const;
  assert.equal(await shown(extended), { value: "a.b-c", extensions: { cluster: "lkc-1 eu" } });
  for (const access_token of ["", "a\u0001auth=Bearer b", "a b"]) {
    const failure = await shown({ mechanism: "OAUTHBEARER", access_token }).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.ok(failure instanceof GatewayError);
    assert.not.match(failure.message, /Bearer b/);
  }
  for (const extensions of [{ "a b": "c" }, { auth: "Bearer b" }, { a: "b\u0001auth=c" }] as const) {
    assert.throws(
      () => saslOptions({ mechanism: "OAUTHBEARER", access_token: "a", extensions: { ...extensions } }),
      (error: Error) => error instanceof GatewayError,
    );
  }
});

test.run();
