/**
 * Tests a script's executors in a real browser: the rules, the customers that the rules would deny, and the
 * health of versions.
 */
import { PROBED_FUNCTIONS, writeProbe } from '@scriptward/client/probe'
import { describe, expect, it } from 'vitest'
import { insertRows } from '../../packages/server/test/stored.ts'
import { scriptsRoom } from './scripts-room.ts'
import { button } from './users-steps.ts'

const { at, open, scriptOf } = scriptsRoom()
const HTML = '<img src=x onerror=document.title="run">'

async function scene() {
  const scripted = await scriptOf({ script: 'print(1)' })
  const { owner, id } = scripted
  const rules = async () => {
    const { mode, rules } = (await owner.get(`/v1/scripts/${id}/executor-rules`)).body
    return { mode, rules }
  }
  return { ...scripted, rules, tab: `${scripted.address}?tab=executors` }
}

describe('the executors of a script', () => {
  it('can be denied, only counted, and allowed again', async () => {
    const { owner, rules, tab } = await scene()
    const { page, complaints } = await open(owner, tab)
    await button(page, 'Add a rule').click()
    await button(page, 'Save rules').click()
    await page.getByText('Enter an executor name.').waitFor()
    await page.getByLabel('Executor', { exact: true }).fill(' Garden ')
    await page.getByLabel('Versions', { exact: true }).fill('2.*, 3')
    await page.getByLabel('Only count it').check()
    await button(page, 'Save rules').click()
    await page.getByText('0 runs by 0 customers in 30 days.').waitFor()
    expect(await rules()).toEqual({
      mode: 'watch',
      rules: [{ action: 'deny', executor: 'Garden', versions: ['2.*', '3'] }],
    })
    await button(page, 'Remove the rule for Garden').click()
    await button(page, 'Save rules').click()
    await expect.poll(async () => (await rules()).rules).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are shown with their results and missing functions, and client-supplied names as text', async () => {
    const { owner, id, tab } = await scene()
    const now = at().clock.now
    const counts = { script_id: id, version: 1, day: 0, runs: 40, crashed: 2, denied: 3, customers: 9 }
    await insertRows(at(), 'version_health', [
      { ...counts, executor: '' },
      { ...counts, executor: HTML },
    ])
    const functions = writeProbe(PROBED_FUNCTIONS.map((name) => name !== 'writefile'))
    await insertRows(at(), 'executors', {
      ...{ name: HTML, version: '2.1', list: 1, functions, answers: 3, first_at: now, last_at: now },
    })
    const { page, complaints } = await open(owner, tab)
    const results = page.getByRole('table', { name: 'Results by executor' })
    await results.getByText('95%').waitFor()
    await results.getByText(HTML).waitFor()
    const lacks = page.getByRole('table', { name: 'Executor capabilities' })
    await lacks.getByText('1 missing').click()
    await lacks.getByText('writefile').waitFor()
    expect(complaints).toEqual([])
  })
})
