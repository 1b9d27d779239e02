// Collects the files of the VS Code extension: its bundle, its grammars, and its own `sluice`.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { packageFolders, readPackages, renderLicences } from "../compiler/link/notices.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "editor/vscode");

/** Returns the files of a `.vsix` by path. `dist/` must have been built. */
export async function extensionFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["editor/vscode/src/extension.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node22",
    // The editor provides this module.
    external: ["vscode"],
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
  });
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const licences = renderLicences(await readPackages(root, packageFolders(Object.keys(metafile.inputs))));
  const own = globSync(["README.md", "language-configuration.json", "snippets/*", "syntaxes/*"], {
    cwd: source,
  });
  const files: (readonly [string, string | Uint8Array])[] = [
    ["[Content_Types].xml", contentTypes],
    ["extension.vsixmanifest", vsixManifest(manifest)],
    ["extension/package.json", `${JSON.stringify(manifest, undefined, 2)}\n`],
    ["extension/LICENSE.txt", readFileSync(join(root, "LICENSE"))],
    ["extension/third-party-licenses.txt", `${licences}\n`],
    ["extension/dist/extension.js", outputFiles[0]?.contents ?? ""],
    ...own.map((path) => [`extension/${slashes(path)}`, readFileSync(join(source, path))] as const),
    ...serverFiles().map(([path, content]) => [`extension/server/${path}`, content] as const),
  ];
  return new Map(files.sort(byPath).map(([path, content]) => [path, Buffer.from(content)]));
}

/**
 * Returns the package as npm installs it, without the code for building gateways: the bundler is specific to a
 * platform, and the extension is the same for all platforms.
 */
function serverFiles(): readonly (readonly [string, string | Uint8Array])[] {
  const { name, version, license, type, bin, engines } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const paths = globSync(
    ["bin/*.js", "dist/*.{js,json,txt}", "dist/runtime/**/*.js", "compiler/diagnostics/docs/*.md"],
    {
      cwd: root,
      exclude: [
        "dist/{ts-morph,json-schema-to-typescript,postject}-*.js",
        "dist/management-*.js",
        "dist/runtime-packages.json",
      ],
    },
  );
  if (!paths.some((path) => slashes(path) === "dist/cli.js")) {
    throw new Error("dist/ is not there: run `node scripts/run.js scripts/build-dist.ts`");
  }
  return [
    ["package.json", `${JSON.stringify({ name, version, license, type, bin, engines }, undefined, 2)}\n`],
    ...paths.map((path) => [slashes(path), readFileSync(join(root, path))] as const),
  ];
}

function slashes(path: string): string {
  return path.replaceAll("\\", "/");
}

function byPath([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

/** The content types of the Open Packaging Conventions (ECMA-376, part 2), which `.vsix` files follow. */
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${[
  "json:application/json",
  "js:application/javascript",
  "md:text/markdown",
  "txt:text/plain",
  "vsixmanifest:text/xml",
]
  .map((each) => each.split(":"))
  .map(([ending, type]) => `  <Default Extension=".${ending}" ContentType="${type}"/>`)
  .join("\n")}
</Types>
`;

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly keywords: readonly string[];
  readonly engines: { readonly vscode: string };
}

/** Returns the manifest of the package for editors and galleries. */
function vsixManifest({ name, publisher, version, displayName, description, ...more }: Manifest): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"/>
    <DisplayName>${displayName}</DisplayName>
    <Description xml:space="preserve">${description}</Description>
    <Tags>${more.keywords.join(",")}</Tags>
    <Categories>${more.categories.join(",")}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${more.engines.vscode}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}
