// The texts that help prints after the arguments and options: examples, and the environment variables of a command.

/** Printed after the list of commands. */
export const programExamples = `
Examples:
  sluice check orders.yaml               report problems with their lines
  sluice run orders.yaml                 serve the document at 127.0.0.1:8080
  sluice build gateway.yaml -o out       write a gateway to deploy
  sluice blobl 'root = this.name'        map messages, one per line
  sluice test apis                       run the unit tests of documents
  sluice test-connections orders.yaml    connect to every broker before you deploy
  sluice key hash --new                  create a key for a caller, and its hash
  sluice serve management.yaml           manage and deploy APIs over HTTP
  sluice explain GW4001                  explain a diagnostic
`;

/** For `sluice check`. */
export const checkExamples = `
Examples:
  sluice check orders.yaml
  sluice check gateway.yaml --format json
  sluice check apis/*.yaml --format github --max-warnings 0
  sluice check gateway.yaml --fix
`;

/** For `sluice fmt`. */
export const formatExamples = `
Names of changed files are printed. Only literal blocks (|) of YAML are laid out; the rest of a document is not touched.

Examples:
  sluice fmt orders.yaml maps.blobl
  sluice fmt gateway.yaml --check
`;

/** For `sluice types`. */
export const typesExamples = `
Each step is printed with its type, the known metadata, and what can fail in it and where the message goes if it does.

Examples:
  sluice types orders.yaml
  sluice types gateway.yaml --stream intake
  sluice types orders.yaml --json
`;

/** For `sluice asyncapi`. */
export const asyncapiExamples = `
Examples:
  sluice asyncapi orders.yaml > orders.asyncapi.yaml
  sluice asyncapi gateway.yaml --api orders --server https://api.example.com
  sluice asyncapi orders.yaml --view client --json > client.json
  sluice asyncapi orders.yaml --with-brokers
`;

/** For `sluice build`. */
export const buildExamples = `
Examples:
  sluice build orders.yaml -o out && node out/gateway.mjs
  sluice build gateway.yaml -o out --minify
  sluice build gateway.yaml -o out --container && podman build out
  sluice build gateway.yaml -o out --kubernetes --image registry.example.com/orders:1.2
  sluice build gateway.yaml --artifact deployed
  sluice build orders.yaml --dump gateway
`;

/** For `sluice gateway`. */
export const gatewayExamples = `
Environment, in addition to that of every gateway:
  GW_MANAGEMENT_TOKEN    key of this gateway for the management service
  GW_VERIFY_KEY          public Ed25519 key in PEM: accept only deployments signed with it
  GW_CACHE_DIR           folder for a copy of the deployment, to start from while the service is unavailable
  GW_GATEWAY_ID          name of this gateway in reports (default: host name and process id)

Examples:
  sluice gateway --from https://management.example.com
  sluice build gateway.yaml --artifact deployed && sluice gateway --from deployed
`;

/** For `sluice blobl`. */
export const bloblExamples = `
Examples:
  echo '{"name":"ada"}' | sluice blobl 'root.name = this.name.uppercase()'
  sluice blobl -f orders.blobl < orders.jsonl > mapped.jsonl
  sluice blobl --raw 'root.words = this.split(" ")' < notes.txt
  sluice blobl
`;

/** For `sluice test`. */
export const testExamples = `
Examples:
  sluice test orders.yaml
  sluice test apis --format junit > results.xml
  sluice test orders.yaml -r resources.yaml
  sluice test orders_test.yaml --watch
`;

/** For `sluice test-connections`. */
export const testConnectionsExamples = `
No message is read or published, and nothing is changed. Components that cannot be tested that way are listed. Variables and
secrets come from the environment, as when a gateway starts. The exit code is 1 if a check fails.

Examples:
  sluice test-connections orders.yaml
  KAFKA=kafka.example.com:9092 sluice test-connections gateway.yaml --timeout 10s
  node --env-file=staging.env $(which sluice) test-connections gateway.yaml --json
`;

/** For `sluice key`. */
export const keyExamples = `
Examples:
  sluice key hash --new
  sluice key hash < key.txt
  pass show orders | sluice key hash --password
`;

/** For `sluice run`. */
export const runExamples = `
Environment:
  GW_LISTEN              address to serve at (127.0.0.1:8080); port 0 chooses a free port
  GW_ADMIN_LISTEN        address of the health and status endpoints (127.0.0.1:8081)
  GW_STREAMING_ENABLED   true or false; overrides gateway.yaml

Examples:
  sluice run orders.yaml
  GW_LISTEN=127.0.0.1:9000 sluice run gateway.yaml --watch
`;

/** For `sluice component`. */
export const componentExamples = `
Examples:
  sluice component init ./components/own
  sluice component test ./components/own
  sluice component reference --set gateway.yaml > components.md
`;
