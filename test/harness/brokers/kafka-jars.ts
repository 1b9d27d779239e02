import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "../processes.ts";
import { BrokerUnavailable, requireProgram } from "./broker.ts";

/** The Kafka release that the suites use. */
export const kafkaVersion = "4.3.1";

const copyDependencies = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";

/**
 * Returns the directory with the jars of that release, from 2.4 on. Maven downloads them once to the user's cache directory, outside the
 * source tree. If two processes download at once, the first complete download stays.
 */
export async function kafkaJars(version = kafkaVersion): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sluice");
  const jars = join(cache, `kafka-${version}`);
  if (existsSync(jars)) return jars;
  const maven = requireProgram("mvn", "Debian package maven; it fetches Apache Kafka");
  const download = join(cache, `kafka-${version}.${process.pid}`);
  mkdirSync(download, { recursive: true });
  try {
    writeFileSync(join(download, "pom.xml"), projectFile(version));
    const args = ["--batch-mode", "--quiet", "--file", join(download, "pom.xml"), copyDependencies];
    const outcome = await run(maven, [...args, "-DincludeScope=runtime", "-DoutputDirectory=jars"], {
      timeout: 600_000,
    });
    if (outcome.status !== 0) {
      throw new BrokerUnavailable(`Maven cannot fetch Apache Kafka: ${firstError(outcome.stdout)}`);
    }
    if (!existsSync(jars)) renameSync(join(download, "jars"), jars);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return jars;
}

function firstError(output: string): string {
  return output.split("\n").find((line) => line.includes("ERROR")) ?? output;
}

function projectFile(version: string): string {
  // Kafka logs through slf4j but includes no backend; the simple one writes to standard error.
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice.test</groupId>
  <artifactId>kafka-broker</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${version}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;
}
