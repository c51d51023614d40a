/** Webhooks of a project that has no address for them. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../databases.ts'
import { serverOn } from '../../harness.ts'
import { furnish } from '../../subjects.ts'

describe.each(anyEngine)('webhooks without an address on $name', (engine) => {
  const { at } = serverOn(engine)

  it('are neither tested nor delivered again', async () => {
    const { owner, nouns } = await furnish(at())
    const path = `/v1/projects/${nouns.project_id}`
    await owner.post(`${path}/edit`, { execution_webhook: '' })
    const tested = await owner.post(`${path}/webhooks/test`, { kind: 'execution' })
    expect(tested.error.type).toBe('no_webhook_address')
    const again = await owner.post(`${path}/webhooks/deliveries/${nouns.delivery_id}/redeliver`)
    expect(again.error.type).toBe('no_webhook_address')
  })
})
