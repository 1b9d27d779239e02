import { join } from "node:path";
import { Project } from "ts-morph";
import { projectRoot } from "../harness/directories.ts";

/** Files by their path below the project's root; they need not exist on the disk. */
export type Texts = ReadonlyMap<string, string>;

/**
 * What TypeScript says of emitted files, under the options of this project: `path:line: message`. What
 * they import of the runtime is checked with them only as far as their own types need it.
 */
export function typeErrors(texts: Texts): readonly string[] {
  const project = new Project({
    tsConfigFilePath: join(projectRoot, "tsconfig.json"),
    skipAddingFilesFromTsConfig: true,
    compilerOptions: { paths: { "sluice/*": [join(projectRoot, "*")] } },
  });
  for (const [path, text] of texts) {
    project.createSourceFile(join(projectRoot, path), text, { overwrite: true });
  }
  const program = project.getProgram();
  return project
    .getSourceFiles([...texts.keys()].map((path) => join(projectRoot, path)))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map((diagnostic) => {
      const message = diagnostic.getMessageText();
      const text = typeof message === "string" ? message : message.getMessageText();
      return `${diagnostic.getSourceFile()?.getBaseName()}:${diagnostic.getLineNumber()}: ${text}`;
    });
}
