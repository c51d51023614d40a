/** What an upload is told, and what it costs, when the obfuscator cannot do its work in time. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../databases.ts'
import { serverOn } from '../harness.ts'
import { createOwner, createProject, readAccount } from '../nouns.ts'

const SOURCE = 'print("hi")'

describe.each(anyEngine)('on $name', (engine) => {
  describe('an upload with too little time', () => {
    const hurried = serverOn(engine, { config: { obfuscationDeadlineMs: 1 } })

    test('is refused with its reason, and counts nothing', async () => {
      const owner = await hurried.at().createCustomer()
      const body = { name: 'Slow', script: SOURCE }
      const { status, error } = await owner.post(`/projects/${await createProject(owner)}/scripts/new`, body)
      expect(status).toBe(422)
      expect(error).toMatchObject({
        code: 3,
        obfuscator_errors: [
          { param: 'script', message: 'took longer than 0.001 seconds; make the script smaller or split it' },
        ],
      })
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: 0, total_scripts: 0 })
    })
  })

  describe('an upload while the queue is full', () => {
    const busy = serverOn(engine, { config: { obfuscationThreads: 1, obfuscationQueue: 0 } })

    test('is refused with Retry-After, and only what was built counts', async () => {
      const { owner, project } = await createOwner(busy.at())
      const upload = () => owner.post(`/projects/${project}/scripts/new`, { name: 'n', script: SOURCE })
      const answers = await Promise.all(Array.from({ length: 10 }, upload))
      const refused = answers.filter(({ status }) => status === 503)
      expect(refused.length).toBeGreaterThan(0)
      for (const { headers, error } of refused) {
        expect(headers.get('retry-after')).toBe('5')
        expect(error).toMatchObject({ code: -1, type: 'unavailable' })
      }
      const built = answers.length - refused.length
      expect(await readAccount(owner)).toMatchObject({ obfuscations_used: built, total_scripts: built })
    })
  })
})
