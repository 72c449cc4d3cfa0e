/** Settings to paste, for common S3 clients. */

import type { MessageKey } from "@/i18n";

export interface Connection {
  endpoint: string;
  bucket: string;
  region: string;
  access_key_id?: string;
  /** Known only while the secret is shown. */
  secret_access_key?: string;
}

export interface Step {
  title: MessageKey;
  text: string;
}

export interface Program {
  /** Part of an element ID, so it has no spaces. */
  id: string;
  name: string;
  steps: (to: Required<Connection>) => Step[];
}

/** Without characters that a shell or a config file would interpret. */
const UNKNOWN = { access_key_id: "YOUR_ACCESS_KEY_ID", secret_access_key: "YOUR_SECRET_ACCESS_KEY" };

export function filled(connection: Connection): Required<Connection> {
  const { access_key_id = UNKNOWN.access_key_id, secret_access_key = UNKNOWN.secret_access_key, ...place } = connection;
  return { ...place, access_key_id, secret_access_key };
}

export const PROGRAMS: readonly Program[] = [
  {
    id: "aws",
    name: "AWS CLI",
    steps: (to) => [
      { title: "connect.step.aws", text: awsProfile(to) },
      { title: "connect.step.try", text: `aws --profile teamspace s3 ls s3://${to.bucket}/` },
    ],
  },
  {
    id: "rclone",
    name: "rclone",
    steps: (to) => [
      { title: "connect.step.run", text: rcloneRemote(to) },
      { title: "connect.step.try", text: `rclone lsf teamspace:${to.bucket}` },
    ],
  },
  {
    id: "boto3",
    name: "boto3",
    steps: (to) => [
      { title: "connect.step.python", text: botoClient(to) },
      { title: "connect.step.try", text: `s3.list_objects_v2(Bucket="${to.bucket}", MaxKeys=10).get("Contents", [])` },
    ],
  },
  {
    id: "duckdb",
    name: "DuckDB",
    steps: (to) => [
      { title: "connect.step.sql", text: duckSecret(to) },
      { title: "connect.step.try", text: `SELECT * FROM glob('s3://${to.bucket}/**');` },
    ],
  },
];

function awsProfile(to: Required<Connection>): string {
  return [
    "[profile teamspace]",
    `region = ${to.region}`,
    `endpoint_url = ${to.endpoint}`,
    `aws_access_key_id = ${to.access_key_id}`,
    `aws_secret_access_key = ${to.secret_access_key}`,
    "s3 =",
    "    addressing_style = path",
  ].join("\n");
}

/** One line, since line continuation differs between shells. */
function rcloneRemote(to: Required<Connection>): string {
  return [
    "rclone config create teamspace s3 provider=Other",
    `endpoint=${to.endpoint}`,
    `access_key_id=${to.access_key_id}`,
    `secret_access_key=${to.secret_access_key}`,
    `region=${to.region}`,
  ].join(" ");
}

function botoClient(to: Required<Connection>): string {
  return [
    "import boto3",
    "",
    "s3 = boto3.client(",
    '    "s3",',
    `    endpoint_url="${to.endpoint}",`,
    `    region_name="${to.region}",`,
    `    aws_access_key_id="${to.access_key_id}",`,
    `    aws_secret_access_key="${to.secret_access_key}",`,
    ")",
  ].join("\n");
}

/** DuckDB takes the endpoint without a scheme, and assumes https. */
function duckSecret(to: Required<Connection>): string {
  const { host, protocol } = new URL(to.endpoint);
  return [
    "CREATE OR REPLACE SECRET teamspace (",
    "    TYPE s3,",
    `    KEY_ID '${to.access_key_id}',`,
    `    SECRET '${to.secret_access_key}',`,
    `    REGION '${to.region}',`,
    `    ENDPOINT '${host}',`,
    ...(protocol === "http:" ? ["    USE_SSL false,"] : []),
    "    URL_STYLE 'path'",
    ");",
  ].join("\n");
}
