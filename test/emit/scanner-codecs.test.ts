// A `codec` of older documents is emitted as the corresponding scanner.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { emitValue } from "./emitted.ts";

const limit = { max_buffer_size: 1_000_000 };

const scanners: Readonly<Record<string, object>> = {
  lines: { lines: limit },
  "all-bytes": { to_the_end: {} },
  "delim:; ": { lines: { custom_delimiter: "; ", ...limit } },
  "delim:a:b": { lines: { custom_delimiter: "a:b", ...limit } },
  "regex:(?m)^\\d\\d:": { re_match: { pattern: "(?m)^\\d\\d:", ...limit } },
  "chunker:4096": { chunker: { size: 4096 } },
  csv: { csv: {} },
  "csv:\t": { csv: { custom_delimiter: "\t" } },
  "csv-safe:|": { csv: { custom_delimiter: "|", continue_on_error: true } },
  tar: { tar: {} },
  "avro-ocf": { avro: {} },
  "avro-ocf:marshaler=json": { avro: {} },
  "gzip/csv": { decompress: { algorithm: "gzip", into: { csv: {} } } },
  "csv-gzip": { decompress: { algorithm: "gzip", into: { csv: {} } } },
  "tar-gzip": { decompress: { algorithm: "gzip", into: { tar: {} } } },
  "pgzip/skipbom/lines": {
    decompress: { algorithm: "pgzip", into: { skip_bom: { into: { lines: limit } } } },
  },
  auto: {
    switch: [
      { re_match_name: "\\.avro$", scanner: { avro: {} } },
      { re_match_name: "\\.csv$", scanner: { csv: {} } },
      { re_match_name: "\\.tar$", scanner: { tar: {} } },
      {
        re_match_name: "\\.(tgz|tar\\.gz|tar\\.gzip)$",
        scanner: { decompress: { algorithm: "gzip", into: { tar: {} } } },
      },
      { scanner: { to_the_end: {} } },
    ],
  },
};

/** Resolves with the gateway of a stream with this input, without the line numbers of the document. */
async function emitted(input: object): Promise<string> {
  const api = {
    openapi: "3.1.0",
    info: { title: "Files", version: "1.0.0" },
    paths: {},
    "x-gw-streaming": { streams: { read: { input, output: { drop: {} } } } },
  };
  const set = { apis: ["api.json"], streaming: { enabled: true }, allow_unsafe: ["file"] };
  const { gateway } = await emitValue(set, "gateway.yaml", { "api.json": api });
  return gateway.replaceAll(/api\.json:\d+/g, "api.json");
}

for (const [codec, scanner] of Object.entries(scanners)) {
  test(`the codec ${JSON.stringify(codec)} equals a scanner`, async () => {
    const paths = ["a.txt"];
    assert.is(await emitted({ file: { paths, codec } }), await emitted({ file: { paths, scanner } }));
  });
}

test("the limit next to a codec is passed to its scanner", async () => {
  const address = { network: "tcp", address: "localhost:6000" };
  const lines = { lines: { custom_delimiter: "|", max_buffer_size: 70_000 } };
  assert.is(
    await emitted({ socket: { ...address, codec: "delim:|", max_buffer: 70_000 } }),
    await emitted({ socket: { ...address, scanner: lines } }),
  );
  const url = "http://localhost:9000/events";
  assert.is(
    await emitted({ http_client: { url, stream: { enabled: true, codec: "delim:|", max_buffer: 70_000 } } }),
    await emitted({ http_client: { url, stream: { enabled: true, scanner: lines } } }),
  );
});

test.run();
