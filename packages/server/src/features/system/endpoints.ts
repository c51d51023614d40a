/**
 * Server health and test messages, for operators. `features/system/public-endpoints.ts` contains the
 * endpoints for machines.
 */
import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Count, Email, members, nullable, size, Yes } from '../../api/shapes.ts'
import { testMail } from './mail-test.ts'
import { describeSystem } from './system.ts'

const time = (description: string) => nullable(Type.Integer({ description, examples: [1_790_000_000_000] }))
const length = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })

const Queues = Type.Object({
  webhooks: length('number of events waiting to be sent, counted up to 100,000'),
  mails: length('number of emails not yet accepted by a mail server'),
  audit_entries: length('number of audit log entries not yet in the hash chain, counted up to 100,000'),
  audit_lag: length('age of the oldest audit log entry not yet in the hash chain, in milliseconds'),
  builds: length('number of uploads waiting for obfuscation in this process'),
  writes: length('number of operations in this process that are waiting for the database'),
})

const Requests = (period: string) =>
  Type.Object(
    {
      per_minute: Type.Number({ minimum: 0, description: 'requests per minute', examples: [412.5] }),
      p95_ms: nullable(
        Type.Number({
          minimum: 0,
          description:
            '95th percentile of the duration, in milliseconds: 95% of the requests were faster. Null without requests',
          examples: [23.4],
        }),
      ),
    },
    {
      description: `requests to this process in the last ${period}, excluding event streams and long exports`,
    },
  )

const Figures = Type.Object({
  disk: nullable(
    Type.Object(
      { free: size('free space', 71_000_000_000), total: size('size of the disk', 250_000_000_000) },
      { description: 'disk of the data directory. Null if it cannot be read' },
    ),
  ),
  memory: Type.Object({
    process: size('memory of this process', 180_000_000),
    free: size('memory available on the machine or in the container', 2_900_000_000),
    total: size('memory of the machine or container', 4_100_000_000),
  }),
  database_bytes: nullable(
    size(
      'size of the database with its indexes and, on SQLite, its write-ahead log. Null if it cannot be read',
      184_320_000,
    ),
  ),
  requests: Type.Object({ last_5_minutes: Requests('five minutes'), last_hour: Requests('hour') }),
})

const Job = Type.Object({
  name: Type.String({ examples: ['prune'] }),
  last_run_at: time('start of the last run. Null if the job has not run yet'),
  last_error_at: time('time of the last failure. Null if the job has never failed'),
  last_error: nullable(
    Type.String({ description: 'cause of the last failure, as in the log', examples: ['disk is full'] }),
  ),
  next_run_at: time('time of the next run. Null while the job is running'),
})

const Finding = Type.Object({
  name: Type.String({ examples: ['mail'] }),
  state: Type.String({
    enum: ['ok', 'off', 'warning', 'wrong'],
    description: 'result of the check. `off` means that the feature is not configured',
  }),
  text: Type.Optional(Type.String({ description: 'what is wrong and how to fix it' })),
  since: Type.Optional(
    Type.Integer({
      description: 'when this process first noticed the problem. Absent if there is none',
      examples: [1_790_000_000_000],
    }),
  ),
})

const get = endpoint({
  name: 'admin.system.get',
  summary: 'Retrieve the system status',
  description:
    'Returns the health of the server: version, database engine, processes, disk space, memory, database size, request rate and duration, queue lengths, the last run of each job with its errors, and the findings of those `scriptward doctor` checks that work while the server is running.',
  method: 'GET',
  path: '/v1/admin/system',
  auth: 'admin',
  scope: 'admin',
  cost: 10,
  response: Type.Object({
    success: Yes,
    version: Type.String({ description: 'server version', examples: ['0.1.0'] }),
    started_at: Type.Integer({ description: 'start time of this process', examples: [1_790_000_000_000] }),
    uptime_ms: Type.Integer({
      description: 'uptime of this process, in milliseconds',
      examples: [86_400_000],
    }),
    engine: Type.String({ enum: ['SQLite', 'PostgreSQL'] }),
    processes: Type.Integer({
      ...Count,
      description: 'number of server processes, including this one',
      examples: [1],
    }),
    figures: Figures,
    queues: Queues,
    jobs: Type.Array(Job),
    findings: Type.Array(Finding),
  }),
  async handle(_call, deps) {
    return { version: manifest.version, ...(await describeSystem(deps)) }
  },
})

const mail = endpoint({
  name: 'admin.mail.test',
  summary: 'Send a test email',
  description:
    "Sends a short message from this server to an address, and returns the mail server's response. Use it after you set SCRIPTWARD_SMTP_URL. If sending fails, the `why` field of the `mail_not_sent` error contains the mail server's response or the connection error. A mail server that accepts a message may still fail to deliver it, so check that the message arrives. The server sends at most five test messages at once, and one per minute after that.",
  example: {
    body: { to: 'ada@example.com' },
    answer: {
      success: true,
      to: 'ada@example.com',
      mail_server: 'mail.example.com:587',
      answer: '250 2.0.0 Ok: queued as 4WxYzT2kq9z1',
    },
  },
  method: 'POST',
  path: '/v1/admin/mail/test',
  auth: 'admin',
  scope: 'admin',
  cost: 20,
  body: members({ to: Email }),
  response: Type.Object({
    success: Yes,
    to: Email,
    mail_server: Type.String({ description: 'mail server host and port' }),
    answer: Type.String({ description: 'response from the mail server' }),
  }),
  failures: { no_mail_server: 0, mail_not_sent: 1 },
  handle: ({ body }, deps) => testMail(deps, body.to),
})

export const system: readonly Endpoint[] = [get, mail]
