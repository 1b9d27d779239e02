import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { run } from "./processes.ts";

/** The release on PyPI that contains the schemas, and the Kubernetes version of the schemas. */
const packageVersion = "1.37.0";
const kubernetesVersion = "1.34.0";

/** The path by which the schemas refer to each other. */
const base = "https://kubernetes.io/api/_definitions.json";

/** Validates a Kubernetes object against the schemas of its API, including unknown fields. Returns the errors. */
export type ObjectJudge = (object: {
  readonly apiVersion: string;
  readonly kind: string;
}) => readonly string[];

/** Downloads the schemas once for this user. Rejects if Python 3 with pip or a package registry is not available. */
export async function kubernetesJudge(): Promise<ObjectJudge> {
  const definitions = JSON.parse(await readFile(await schemaFile(), "utf8")) as {
    $defs: Record<string, object>;
  };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: base, ...definitions });
  const judges = new Map<string, ValidateFunction>();
  return (object) => {
    const name = definitionOf(object);
    const isKnown = Object.hasOwn(definitions.$defs, name);
    if (!isKnown) return [`there is no schema ${name}`];
    const judge = judges.get(name) ?? ajv.compile({ $ref: `${base}#/$defs/${name}` });
    judges.set(name, judge);
    return judge(object)
      ? []
      : (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** `networking.k8s.io/v1`, `NetworkPolicy` -> `io.k8s.api.networking.v1.NetworkPolicy` */
function definitionOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const [version = "", group = "core"] = apiVersion.split("/").reverse();
  return `io.k8s.api.${group.split(".")[0]}.${version}.${kind}`;
}

const unpack = `
import glob, sys, zipfile
name = "kubernetes_validate/kubernetes-json-schema/v${kubernetesVersion}-local-strict/_definitions.json"
archive = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
open(sys.argv[1] + "/definitions.json", "wb").write(archive.read(name))
`;

async function schemaFile(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sluice");
  const folder = join(cache, `kubernetes-${kubernetesVersion}`);
  const file = join(folder, "definitions.json");
  if (existsSync(file)) return file;
  const fresh = `${folder}-${process.pid}`;
  await mkdir(fresh, { recursive: true });
  const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", fresh];
  try {
    for (const args of [
      [...download, `kubernetes-validate==${packageVersion}`],
      ["-c", unpack, fresh],
    ]) {
      const { status, stderr } = await run("python3", args);
      if (status !== 0) throw new Error(stderr);
    }
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (existsSync(file)) return file; // another process was first
    throw new Error("the schemas of Kubernetes need python3 with pip, and a package registry", {
      cause: error,
    });
  }
  return file;
}
