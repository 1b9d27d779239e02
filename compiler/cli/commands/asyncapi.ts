// Runs `sluice asyncapi`: describes the streams of one API for clients on standard output; diagnostics on standard
// error.

import { checkDocuments, describeClients } from "../../compile.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { AsyncapiOptions } from "../command-options.ts";
import { formatDiagnostics, isFailure, withLineBreak } from "../diagnostics.ts";
import { misuse } from "../exit-codes.ts";
import { useColor } from "../terminal.ts";

/** Describes one API of documents that have no errors. Returns the exit code. */
export async function runAsyncapi(paths: readonly string[], options: AsyncapiOptions): Promise<number> {
  const wrong = options.server?.find((url) => !/^https?:\/\/[^/?#]+/i.test(url));
  if (wrong !== undefined)
    return misuse(`expected an address such as https://api.example.com, got '${wrong}'`);
  const { diagnostics, suppressed, counts, checked } = await checkDocuments(paths);
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  if (checked === undefined || isFailure(counts, {})) return 1;
  const ids = checked.set.apis.map(({ id }) => id);
  const { api = ids.length === 1 ? ids[0] : undefined } = options;
  if (api === undefined) return misuse(`which API? --api ${ids.join(" or --api ")}`);
  if (!ids.includes(api)) return misuse(noApi(api, ids));
  const described = await describeClients(checked, api, {
    servers: options.server ?? [],
    view: options.view,
    withBrokers: options.withBrokers === true,
  });
  const { stringify } = await import("yaml");
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(described, undefined, 2)}\n`
      : stringify(described, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  return 0;
}

function noApi(name: string, ids: readonly string[]): string {
  const closest = suggest(name, ids);
  return `unknown API '${name}'${closest === undefined ? "" : `; did you mean '${closest}'?`}`;
}
