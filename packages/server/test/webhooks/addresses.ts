/** Additional addresses of a project's webhooks, as its owner makes and reads them over the API. */
import type { Answer } from '../answers.ts'
import type { Owned } from '../nouns.ts'

export type Address = {
  readonly id: string
  readonly kind: string
  readonly name: string | null
  readonly address: string
  readonly enabled: boolean
  readonly events: readonly string[] | null
  readonly scripts: readonly string[] | null
  readonly state: string
  readonly failures: number
  readonly waiting: number
  readonly secret: string | null
}
export type Sent = {
  readonly id: string
  readonly event_id: string
  readonly webhook_id: string
  readonly kind: string
  readonly type: string
  readonly state: string
}
type Members = Readonly<Record<string, unknown>>

export function addressesOf({ owner, project }: Owned) {
  const path = `/v1/projects/${project}/webhooks`
  return {
    path,
    add: (members: Members): Promise<Answer> => owner.post(`${path}/new`, { name: 'Second', ...members }),
    /** Adds one, and answers it. */
    async added(members: Members): Promise<Address> {
      return (await owner.post(`${path}/new`, { name: 'Second', ...members })).body.webhook as Address
    },
    call: (id: string, deed: string, body: Members = {}): Promise<Answer> =>
      owner.post(`${path}/${id}/${deed}`, body),
    async all(): Promise<Address[]> {
      return (await owner.get(path)).body.webhooks as Address[]
    },
    async find(id: string): Promise<Address | undefined> {
      const { webhooks } = (await owner.get(path)).body
      return (webhooks as Address[]).find((one) => one.id === id)
    },
    async sent(query = ''): Promise<Sent[]> {
      return (await owner.get(`${path}/deliveries${query}`)).body.deliveries as Sent[]
    },
  }
}
