// Checks the program of an `awk` processor when a gateway is built, and finds the functions of the library that it calls.

import type { Inspected, WrittenOptions } from "../inspection.ts";
import { builtinArity } from "./lexer.ts";
import { parseProgram } from "./parser.ts";
import { resolveProgram } from "./resolve.ts";
import { ProgramError, type ProgramProblem } from "./syntax.ts";

/** Returns the problems in the program of an `awk` processor, and the functions of the library that it calls. */
export function inspectAwk({ program: text }: WrittenOptions): Inspected {
  if (typeof text !== "string") return { problems: [] };
  const problems: ProgramProblem[] = [];
  const links = new Map<string, Link>();
  try {
    const tree = parseProgram(text);
    problems.push(...tree.refusals);
    const own = tree.functions.map(({ name }) => name);
    resolveProgram(
      tree,
      ({ name, place }) => {
        const found = library.get(name);
        if (found !== undefined) links.set(name, found);
        else {
          const among = [...library.keys(), ...builtinArity.keys(), ...own];
          problems.push({
            ...place,
            message: `function \`${name}\` does not exist`,
            unknown: { name, among },
          });
        }
        return found === undefined || found.takes.endsWith("...") ? undefined : found.takes.split(" ").length;
      },
      (problem) => problems.push(problem),
    );
  } catch (error) {
    if (error instanceof ProgramError) problems.push(error.problem);
    else if (error instanceof RangeError)
      problems.push({ message: "the program is nested too deeply", start: 0, end: text.length });
    else throw error;
  }
  return {
    problems: problems.map(({ message, hint, start, end, unknown }) => ({
      field: "program",
      message,
      place: { start, end },
      ...(hint !== undefined && { hint }),
      ...(unknown !== undefined && { unknown }),
    })),
    links: Object.fromEntries(links),
  };
}

/** A function of the library, and the types of its parameters. */
interface Link {
  readonly module: string;
  readonly symbol: string;
  readonly takes: string;
}

const documents = "runtime/processors/awk/documents.ts";
const others = "runtime/processors/awk/library.ts";

/** The functions of the library: their names, where they are, and the types of their parameters. */
const library: ReadonlyMap<string, Link> = /* @__PURE__ */ new Map(
  (
    [
      ["json_get", documents, "jsonGet", "string"],
      ["json_set", documents, "jsonSet", "string string"],
      ["json_set_int", documents, "jsonSetInt", "string int"],
      ["json_set_float", documents, "jsonSetFloat", "string float"],
      ["json_set_bool", documents, "jsonSetBool", "string bool"],
      ["json_append", documents, "jsonAppend", "string string"],
      ["json_append_int", documents, "jsonAppendInt", "string int"],
      ["json_append_float", documents, "jsonAppendFloat", "string float"],
      ["json_append_bool", documents, "jsonAppendBool", "string bool"],
      ["json_delete", documents, "jsonDelete", "string"],
      ["json_length", documents, "jsonLength", "string"],
      ["json_type", documents, "jsonType", "string"],
      ["metadata_get", others, "metadataGet", "string"],
      ["metadata_set", others, "metadataSet", "string string"],
      ["print_log", others, "printLog", "string string"],
      ["timestamp_unix", others, "timestampUnix", "string string"],
      ["timestamp_unix_nano", others, "timestampUnixNano", "string string"],
      ["timestamp_format", others, "timestampFormat", "int string"],
      ["timestamp_format_nano", others, "timestampFormatNano", "int string"],
      ["create_json_object", others, "createJsonObject", "string..."],
      ["create_json_array", others, "createJsonArray", "string..."],
      ["base64_encode", others, "encodeBase64", "string"],
      ["base64_decode", others, "decodeBase64", "string"],
    ] as const
  ).map(([name, module, symbol, takes]) => [name, { module, symbol, takes }]),
);

/** The names of the functions of the library. */
export const awkLibrary: readonly string[] = /* @__PURE__ */ [.../* @__PURE__ */ library.keys()];
