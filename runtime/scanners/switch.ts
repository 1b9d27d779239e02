import { RE2JS } from "re2js";
import type { Scanner } from "../component/scanner.ts";
import { unfitSource } from "./gathered.ts";
import type { SwitchScannerOptions } from "./generated/switch-scanner-options.ts";

/**
 * Uses the scanner of the first case whose pattern matches the name of the source. A case without a pattern matches
 * all.
 */
export function switchScanner({ cases }: SwitchScannerOptions): Scanner {
  const compiled = cases.map(({ re_match_name: pattern, scanner }) => ({
    pattern: pattern === undefined || pattern === "" ? undefined : RE2JS.compile(pattern),
    scanner,
  }));
  return {
    scan(source) {
      const found = compiled.find(
        ({ pattern }) => pattern === undefined || pattern.matcher(source.name).find(),
      );
      if (found === undefined) throw unfitSource("No scanner takes a source of that name");
      return found.scanner.scan(source);
    },
  };
}
