import { expect, it } from 'vitest'
import { type ExecutorRule, judgeExecutor, type RuleMode } from './rules.ts'

const judge = (rules: readonly ExecutorRule[], name: string, version = '2.1', mode: RuleMode = 'enforce') =>
  judgeExecutor(JSON.stringify({ mode, rules }), { name, version })
const deny = (executor: string, ...versions: string[]): ExecutorRule => ({
  action: 'deny',
  executor,
  versions,
})
const allow = (executor: string, ...versions: string[]): ExecutorRule => ({
  action: 'allow',
  executor,
  versions,
})

it('a script without rules allows every executor', () => {
  expect(judgeExecutor(null, { name: 'Garden', version: '' })).toBe(null)
  expect(judge([], 'Garden')).toBe(null)
})

it('a deny rule applies to its executor in any case, and to no other', () => {
  expect([judge([deny('Garden')], 'gARDEN'), judge([deny('Garden')], 'Garden 2')]).toEqual(['deny', null])
})

it('an allow rule denies every executor that no allow rule names', () => {
  const rules = [allow('Garden'), allow('Orchard', '3')]
  expect([judge(rules, 'Garden'), judge(rules, 'Orchard', '3'), judge(rules, 'Meadow')]).toEqual([
    null,
    null,
    'deny',
  ])
  expect(judge(rules, 'Orchard', '2')).toBe('deny')
})

it('a deny rule takes precedence over an allow rule', () => {
  const rules = [allow('Garden'), deny('Garden', '2.*')]
  expect([judge(rules, 'Garden', '2.9'), judge(rules, 'Garden', '3')]).toEqual(['deny', null])
})

it('versions are compared exactly, or up to an asterisk', () => {
  const rules = [deny('Garden', '1', '2.*', 'V3*')]
  const verdicts = ['1', '1.0', '2', '2.', '2.10', 'v3-beta', ''].map((version) =>
    judge(rules, 'Garden', version),
  )
  expect(verdicts).toEqual(['deny', null, null, 'deny', 'deny', 'deny', null])
})

it('watched rules deny nobody', () => {
  expect([
    judge([deny('Garden')], 'Garden', '', 'watch'),
    judge([deny('Garden')], 'Meadow', '', 'watch'),
  ]).toEqual(['watch', null])
})
