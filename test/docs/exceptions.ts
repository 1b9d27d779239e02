// Names of blocks that are not run or checked unchanged, each with the reason. A test fails if an exception is no longer needed.

/** Diagnostics of `check` for YAML that is a part of a set, or that names files that do not exist. */
export const expectedMistakes: Readonly<Record<string, string>> = {
  "docs/authentication.md#4": "GW4071: Unknown security scheme `token`.",
  "docs/authentication.md#6": "GW4070: Unknown policy `gold`.",
  "docs/authentication.md#8": "GW4070: Unknown policy `gold`.",
  "docs/authentication.md#9": "GW4070: Unknown policy `gold`.",
  "docs/authentication.md#12": "GW4070: Unknown policy `gold`.",
  "docs/components.md#2":
    "GW4400: The package `@acme/sluice-redis-streams` is not installed.; GW4400: `./components/own` has no `package.json`.",
  "docs/versions.md#1": "GW4221: Unknown API `orders-v2` for the version `v2`.",
  "docs/webhooks.md#1": "GW4277: No portal is configured to receive these messages.",
  "examples/own-component/README.md#2": "GW4400: The package `sluice-lines` is not installed.",
};

/** YAML that is not a part of a document or of settings, and the test that covers it. */
export const otherYaml: Readonly<Record<string, string>> = {
  "docs/authentication.md#5": "one field of a scheme: test/runtime/protections has introspection",
  "docs/diagnostics.md#3": "leaves out what is around the comments: test/check has suppressions",
  "docs/mapping-tools.md#4": "tests of a document that is not shown: test/cli/test-command.test.ts",
  "docs/documents.md#2": "a template: test/templates",
  "editor/README.md#12": "the first lines of a document",
};

/** Blocks of code that are excerpts of files of the repository, which are compiled and run. */
export const excerpts: Readonly<Record<string, string>> = {
  "docs/tutorial.md#2": "examples/project/orders.yaml",
};

/** Blocks of commands that need more than a project, and the test that does the same. */
export const runElsewhere: Readonly<Record<string, string>> = {
  "docs/shipping.md#2": "test/ship/container.test.ts",
  "README.md#4": "test/e2e/quickstart.chromium.test.ts",
  "README.md#5": "test/e2e/quickstart.chromium.test.ts",
  "docs/authentication.md#7": "test/e2e/tokens.test.ts",
  "docs/authentication.md#10": "test/runtime/oauth/authorization.test.ts",
  "docs/tutorial.md#4": "test/docs/tutorial.test.ts",
  "docs/tutorial.md#5": "test/docs/tutorial.test.ts",
  "docs/tutorial.md#6": "test/docs/tutorial.test.ts",
  "examples/chat/README.md#2": "test/e2e/examples.kafka.test.ts",
  "examples/high-value-orders/README.md#2": "test/e2e/examples.kafka.test.ts",
  "examples/keys/README.md#1": "test/e2e/keys.test.ts",
  "examples/keys/README.md#2": "test/e2e/keys.test.ts",
  "examples/legacy-modernisation/README.md#2": "test/e2e/examples.kafka.test.ts",
  "examples/orchestration/README.md#2": "test/e2e/examples.kafka.test.ts",
  "examples/portal/README.md#1": "test/e2e/portal.test.ts",
  "examples/portal/README.md#2": "test/e2e/portal.test.ts",
  "examples/portal/README.md#3": "test/e2e/portal.test.ts",
  "examples/portal/README.md#4": "test/e2e/portal.test.ts",
  "examples/portal/README.md#5": "test/e2e/portal.test.ts",
  "examples/quickstart/README.md#1": "test/e2e/quickstart.chromium.test.ts",
  "examples/webhooks/README.md#1": "test/e2e/webhooks.test.ts",
  "examples/webhooks/README.md#2": "test/e2e/webhooks.test.ts",
  "examples/webhooks/README.md#3": "test/e2e/webhooks.test.ts",
};

/** Programs that blocks call and that cannot work in the sandbox, each with the reason. */
export const standIns: Readonly<Record<string, string>> = {
  curl: "asks a gateway that the reader has started: the tests of the example or of the endpoint do so",
  docker: "no container engine: test/ship runs what the image and the Compose file would run",
  helm: "no cluster: `npm run test:helm` renders the chart by Helm",
  kubectl: "no cluster: test/ship/kubernetes.test.ts validates the manifests",
  npm: "installs or tests this package: test/package.test.ts and test/newcomer.long.test.ts do",
  podman: "no container engine: test/ship runs what the image would run",
  systemctl: "no systemd as the first process: test/ship/systemd.test.ts starts the service by its socket",
};
