import { planDocuments } from "../../../compiler/compile.ts";
import {
  type TestedComponent,
  testConnections,
} from "../../../compiler/embed/connections/test-connections.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";

/** How connections of a test are tried. */
export interface TestedOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeout?: number;
}

/** Resolves with the result of each component of a bare stream document. */
export async function testedComponents(
  document: string,
  { variables = {}, timeout = 60_000 }: TestedOptions = {},
): Promise<readonly TestedComponent[]> {
  const { plan, diagnostics } = await planDocuments(["stream.yaml"], {
    fileSystem: createMemoryFileSystem({ "stream.yaml": document }),
  });
  if (plan === undefined)
    throw new Error(JSON.stringify(diagnostics.map(({ code, message }) => [code, message])));
  return testConnections(plan, { variables, timeout });
}

/** A line for each check of the only component: `passed login`, `failed topic x (missing): there is no such topic`. */
export async function testedLines(document: string, options?: TestedOptions): Promise<readonly string[]> {
  const [component, ...others] = await testedComponents(document, options);
  if (component === undefined || others.length > 0) throw new Error("the document has one component to test");
  return component.findings.map(({ check, outcome, kind, reason }) => {
    if (outcome === "passed") return `passed ${check}`;
    return outcome === "failed" ? `failed ${check} (${kind}): ${reason}` : `untested ${check}: ${reason}`;
  });
}

/** Returns a stream that writes to `output`, whose options are JSON. */
export function streamTo(output: object): string {
  return JSON.stringify({ input: { generate: { mapping: "root = {}" } }, output });
}

/** Returns a stream that reads from `input`. */
export function streamFrom(input: object): string {
  return JSON.stringify({ input, output: { drop: {} } });
}
