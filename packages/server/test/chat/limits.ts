/**
 * Checks responses against Discord's limits for applications. Source: "Embed Limits", "Components" and
 * "Modal" in Discord's documentation.
 */
import { expect } from 'vitest'

type Json = Record<string, unknown>
type Field = { readonly name: string; readonly value: string }
type Embed = { readonly title?: string; readonly description?: string; readonly fields?: readonly Field[] }
type Component = { readonly custom_id: string; readonly label: string }
type Row = { readonly components: readonly Component[] }

const MESSAGE = 4
const SUGGESTIONS = 8
const FORM = 9

/** Fails if Discord would reject the response. */
export function expectWithinLimits({
  type,
  data = {},
}: {
  readonly type?: number
  readonly data?: Json
}): void {
  if (type === MESSAGE) expectMessage(data)
  if (type === FORM) expectForm(data)
  if (type === SUGGESTIONS) {
    const choices = data.choices as readonly { readonly name: string; readonly value: string }[]
    expect(choices.length).toBeLessThanOrEqual(25)
    for (const { name, value } of choices) {
      expectLength(name, 1, 100)
      expectLength(value, 1, 100)
    }
  }
}

export function expectMessage({ embeds = [], components = [], allowed_mentions }: Json): void {
  expect(allowed_mentions, 'a message notifies nobody').toEqual({ parse: [] })
  const all = embeds as readonly Embed[]
  for (const { title, description, fields = [] } of all) {
    expect(
      title !== undefined || description !== undefined || fields.length > 0,
      'an embed has content',
    ).toBe(true)
    if (title !== undefined) expectLength(title, 1, 256)
    if (description !== undefined) expectLength(description, 1, 4096)
    expect(fields.length).toBeLessThanOrEqual(25)
    for (const { name, value } of fields) {
      expectLength(name, 1, 256)
      expectLength(value, 1, 1024)
    }
  }
  const texts = all.flatMap(({ title = '', description = '', fields = [] }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ])
  expect(texts.join('').length).toBeLessThanOrEqual(6000)
  const rows = components as readonly Row[]
  expect(rows.length).toBeLessThanOrEqual(5)
  for (const { components: buttons } of rows) {
    expect(buttons.length).toBeLessThanOrEqual(5)
    for (const { custom_id, label } of buttons) {
      expectLength(custom_id, 1, 100)
      expectLength(label, 1, 80)
    }
  }
  const ids = rows.flatMap((row) => row.components.map(({ custom_id }) => custom_id))
  expect(new Set(ids).size, 'custom IDs are unique').toBe(ids.length)
}

function expectForm({ title, custom_id, components }: Json): void {
  expectLength(String(title), 1, 45)
  expectLength(String(custom_id), 1, 100)
  const rows = components as readonly Row[]
  expect(rows.length).toBeLessThanOrEqual(5)
  for (const { components: fields } of rows) for (const { label } of fields) expectLength(label, 1, 45)
}

function expectLength(text: string, least: number, most: number): void {
  expect(text.length, text).toBeGreaterThanOrEqual(least)
  expect(text.length, text).toBeLessThanOrEqual(most)
}
