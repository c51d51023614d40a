/**
 * Health of the server, for operators. The endpoints for machines are in
 * `features/system/public-endpoints.ts`.
 */
import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Count, nullable, Yes } from '../../api/shapes.ts'
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
})

const get = endpoint({
  name: 'admin.system.get',
  summary: 'Retrieve the system status',
  description:
    'Returns the health of the server: version, database engine, processes, queue lengths, the last run of each job with its errors, and the findings of those `scriptward doctor` checks that work while the server is running.',
  method: 'GET',
  path: '/v1/admin/system',
  auth: 'admin',
  scope: 'admin',
  cost: 10,
  response: Type.Object({
    success: Yes,
    version: Type.String({ description: 'version of the server', examples: ['0.1.0'] }),
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
    queues: Queues,
    jobs: Type.Array(Job),
    findings: Type.Array(Finding),
  }),
  async handle(_call, deps) {
    return { version: manifest.version, ...(await describeSystem(deps)) }
  },
})

export const system: readonly Endpoint[] = [get]
