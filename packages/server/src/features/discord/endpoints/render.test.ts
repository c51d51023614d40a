/** Commands and responses in Discord's JSON format. */
import { describe, expect, it } from 'vitest'
import { expectMessage } from '../../../../test/chat/limits.ts'
import { commands } from '../../chat/list.ts'
import { block, code, lines, person, say, secret, strong, time, value } from '../../chat/text.ts'
import { commandsJson, messageJson, readCustomId, textOf } from './render.ts'

type Listed = { readonly name: string; readonly description: string; readonly options?: readonly Listed[] }

describe('the commands', () => {
  const all = commandsJson(commands) as unknown as readonly Listed[]
  const nested = all.flatMap((one) => [
    one,
    ...(one.options ?? []),
    ...(one.options ?? []).flatMap(({ options = [] }) => options),
  ])

  it('have names and descriptions that Discord accepts', () => {
    expect(all.length).toBeLessThanOrEqual(100)
    for (const { name, description, options = [] } of nested) {
      expect(name).toMatch(/^[a-z0-9_-]{1,32}$/)
      expect(description.length, name).toBeGreaterThan(0)
      expect(description.length, name).toBeLessThanOrEqual(100)
      expect(options.length, name).toBeLessThanOrEqual(25)
    }
  })

  it('are listed once, and buttons run only those that exist', () => {
    const names = commands.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('a text', () => {
  it('shows what people typed literally', () => {
    expect(textOf(say`Note: ${value('**a** <@1> @everyone `x` [l](https://e.example)\n# big')}`)).toBe(
      'Note: \\*\\*a\\*\\* \\<\\@1\\> \\@everyone \\`x\\` \\[l\\]\\(https\\:\\/\\/e.example\\) \\# big'.replaceAll(
        '\\/',
        '/',
      ),
    )
  })

  it('formats times, people, keys and code', () => {
    expect(textOf(say`${time(1_798_761_600_500)} ${person('184650129374650213')} ${person('jo')}`)).toBe(
      '<t:1798761600:R> <@184650129374650213> jo',
    )
    expect(textOf(say`${secret('a`b|c')} ${code('a`b')} ${strong('Get script')}`)).toBe(
      "||`a'bc`|| `a'b` **Get script**",
    )
    expect(textOf(say`${block('print("```")')}`)).toBe("```lua\nprint(\"'''\")\n```")
    expect(textOf(lines(say`one`, say`two`))).toBe('one\ntwo')
  })
})

describe('a message', () => {
  it('stays within the limits of Discord and notifies nobody, whatever it contains', () => {
    const long = 'x*'.repeat(5000)
    const message = messageJson({
      title: long,
      text: say`${value(long)}`,
      fields: Array.from({ length: 40 }, (_, at) => ({ name: `${at} ${long}`, text: say`${value(long)}` })),
      buttons: [{ label: long, command: 'mykey' }],
    })
    expectMessage(message)
  })

  it('is only for the person who asked, unless it is public', () => {
    expect(messageJson({ text: say`x` }).flags).toBe(64)
    expect(messageJson({ text: say`x`, isPublic: true }).flags).toBeUndefined()
  })

  it('stores the options of a button in its ID', () => {
    const given = { plan: 'pln_0VMc4VLkQ8sTuVwXyZaBcD', time: '3d' }
    const { components } = messageJson({
      text: say`x`,
      buttons: [{ label: 'Go', command: 'key give', given, isSingleUse: true }],
    }) as { components: { components: { custom_id: string }[] }[] }
    const id = components[0]?.components[0]?.custom_id ?? ''
    expect(readCustomId(id)).toEqual({ command: 'key give', given, isSingleUse: true })
  })
})
