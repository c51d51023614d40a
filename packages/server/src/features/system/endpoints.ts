/** How the service is doing, for operators. What machines ask of it is in `features/system/public-endpoints.ts`. */
import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Count, nullable, Yes } from '../../api/shapes.ts'
import { describeSystem } from './system.ts'

const time = (description: string) => nullable(Type.Integer({ description, examples: [1_790_000_000_000] }))
const length = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })

const Queues = Type.Object({
  webhooks: length('events that wait to be sent, counted up to 100,000'),
  mails: length('mails that no mail server has taken yet'),
  audit_entries: length('entries of the audit log without their place in the hash chain, up to 100,000'),
  audit_lag: length('milliseconds since the oldest of those was written'),
  builds: length('uploads that wait to be protected in this process'),
  writes: length('operations of this process that wait for the database'),
})

const Job = Type.Object({
  name: Type.String({ examples: ['prune'] }),
  last_run_at: time('when it last began; null when it did not run yet'),
  last_error_at: time('when it last failed; null when it did not'),
  last_error: nullable(Type.String({ description: 'why, as in the log', examples: ['disk is full'] })),
  next_run_at: time('when it runs next; null while it runs'),
})

const Finding = Type.Object({
  name: Type.String({ examples: ['mail'] }),
  state: Type.String({ enum: ['ok', 'off', 'warning', 'wrong'], description: '`off`: not configured' }),
  text: Type.Optional(Type.String({ description: 'what is wrong and what to do' })),
})

const get = endpoint({
  name: 'admin.system.get',
  summary:
    'Read how the service is doing: version, queues, jobs of this process, and what `scriptward doctor` finds that can be asked while it runs.',
  description:
    'For a look at the whole service: its version, engine and processes, how much waits to be sent or chained, when each job ran last and what went wrong then, and findings with a remedy. It counts as 10 requests, because it asks the database.',
  method: 'GET',
  path: '/v1/admin/system',
  auth: 'admin',
  scope: 'admin',
  cost: 10,
  response: Type.Object({
    success: Yes,
    version: Type.String({ examples: ['0.1.0'] }),
    started_at: Type.Integer({ description: 'when this process started', examples: [1_790_000_000_000] }),
    uptime_ms: Type.Integer({ description: 'milliseconds since then', examples: [86_400_000] }),
    engine: Type.String({ enum: ['SQLite', 'PostgreSQL'] }),
    processes: Type.Integer({ ...Count, description: 'of the service, this one too', examples: [1] }),
    queues: Queues,
    jobs: Type.Array(Job),
    findings: Type.Array(Finding),
  }),
  async handle(_call, deps) {
    return { version: manifest.version, ...(await describeSystem(deps)) }
  },
})

export const system: readonly Endpoint[] = [get]
