// Shows the signature of the call around the pointer, and highlights the current argument. Uses only the text, since
// the call is not closed yet.

import type { SignatureHelp } from "vscode-languageserver";
import type { BuiltinCatalogue } from "../../compiler/builtins/catalogue.ts";
import { signatureOf } from "../../compiler/builtins/describe.ts";
import { describeBuiltin } from "./markdown.ts";

/** The maximum number of characters between the start of a call and the pointer. */
const longestCall = 4000;

/** Returns help for the text before the pointer; `null` outside calls. */
export function signatureHelp(before: string, builtins: BuiltinCatalogue): SignatureHelp | null {
  const text = scriptIn(before.slice(-longestCall));
  const call = findOpenCall(text);
  if (call === undefined) return null;
  const builtin = call.isMethod ? builtins.findMethod(call.name) : builtins.findFunction(call.name);
  if (builtin === undefined) return null;
  const label = signatureOf(builtin);
  let from = label.indexOf(`${builtin.name}(`) + builtin.name.length + 1;
  const parameters = builtin.parameters.map(({ name }) => {
    const start = label.indexOf(name, from);
    from = start + name.length;
    return { label: [start, from] as [number, number] };
  });
  const named = builtin.parameters.findIndex(({ name }) =>
    call.argument === undefined ? !call.named.includes(name) : name === call.argument,
  );
  const isNamed = call.argument !== undefined || call.named.length > 0;
  const current = isNamed && named !== -1 ? named : call.index;
  const activeParameter = Math.min(current, Math.max(0, parameters.length - 1));
  const documentation = { kind: "markdown" as const, value: describeBuiltin(builtin) };
  return { signatures: [{ label, documentation, parameters }], activeSignature: 0, activeParameter };
}

/** Matches the text from the quote of a document's text that is still open. */
const openText = /(?:^|[\n{[,])[ \t]*(?:-[ \t]+)*(?:["']?[\w-]+["']?[ \t]*:[ \t]*)?"((?:[^"\\]|\\.)+)$/s;

/** Returns the script before the pointer: without escapes if it is in double quotes. */
function scriptIn(text: string): string {
  const quoted = openText.exec(text)?.[1];
  return quoted === undefined || !quoted.includes("\\")
    ? text
    : quoted.replaceAll(/\\(?:(["\\/])|n)/g, (_, sign: string | undefined) => sign ?? "\n");
}

interface OpenCall {
  readonly name: string;
  readonly isMethod: boolean;
  readonly index: number;
  /** The name of the argument, if it has one. */
  readonly argument: string | undefined;
  /** The names of the arguments before it. */
  readonly named: readonly string[];
}

/** Returns the innermost call whose bracket is open at the end of the text. */
function findOpenCall(text: string): OpenCall | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = [];
  for (const { 0: token, index } of text.matchAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[([{)\]},]/g)) {
    const inner = open.at(-1);
    if (token === "(" || token === "[" || token === "{") open.push({ start: index, commas: [] });
    else if (token === ")" || token === "]" || token === "}") open.pop();
    else if (token === ",") inner?.commas.push(index);
  }
  const call = open.findLast(({ start }) => text[start] === "(" && /\w$/.test(text.slice(0, start)));
  if (call === undefined) return undefined;
  const head = /(\.?)(\w+)$/.exec(text.slice(0, call.start));
  const names = [call.start, ...call.commas].map((at) => /^[(,]\s*(\w+)\s*:/.exec(text.slice(at))?.[1]);
  return {
    name: head?.[2] ?? "",
    isMethod: head?.[1] === ".",
    index: call.commas.length,
    argument: names.at(-1),
    named: names.slice(0, -1).filter((name) => name !== undefined),
  };
}
