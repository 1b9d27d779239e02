import { join } from "node:path";
import { type Node, Project, type Type } from "ts-morph";
import { projectRoot } from "../harness/directories.ts";

/** Files by their path below the project's root; they need not exist on the disk. */
export type Texts = ReadonlyMap<string, string>;

/** What one program is to TypeScript. */
export interface CheckedTexts {
  /**
   * What TypeScript says of emitted files, under the options of this project: `path:line: message`. What
   * they import of the runtime is checked with them only as far as their own types need it.
   */
  readonly errors: readonly string[];
  /** The messages of each mapping of a file: `intakeMapping(Order): Receipt`; `unknown` where nothing is known. */
  mappings(path: string): readonly string[];
}

/** One for all checks of a process, so that the libraries and the runtime are parsed once. */
const project = new Project({
  tsConfigFilePath: join(projectRoot, "tsconfig.json"),
  skipAddingFilesFromTsConfig: true,
  compilerOptions: { paths: { "sluice/*": [join(projectRoot, "*")] } },
});

/** Checks emitted files together. */
export function checkTypes(texts: Texts): CheckedTexts {
  const files = [...texts].map(([path, text]) =>
    project.createSourceFile(join(projectRoot, path), text, { overwrite: true }),
  );
  const program = project.getProgram();
  const errors = files
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map((diagnostic) => {
      const message = diagnostic.getMessageText();
      const text = typeof message === "string" ? message : message.getMessageText();
      return `${diagnostic.getSourceFile()?.getBaseName()}:${diagnostic.getLineNumber()}: ${text}`;
    });
  return {
    errors,
    mappings: (path) =>
      project
        .getSourceFileOrThrow(join(projectRoot, path))
        .getFunctions()
        .flatMap((written) => {
          const given = contentOf(written.getReturnType().getNonNullableType(), written);
          const read = written.getParameters().at(-2)?.getType().getArrayElementType();
          if (given === undefined || read === undefined) return [];
          return [`${written.getName()}(${contentOf(read, written)}): ${given}`];
        }),
  };
}

/** `Content` of a `Message<Content>`; `undefined` where it is no message. */
function contentOf(type: Type, at: Node): string | undefined {
  if (type.getSymbol()?.getName() !== "Message") return undefined;
  return type
    .getTypeArguments()[0]
    ?.getText(at)
    .replaceAll(/import\("[^"]+"\)\./g, "");
}
