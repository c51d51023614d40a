/** The message with buttons for customers that staff post in a channel. */
import { findBrand } from '../projects/brand.ts'
import type { Command } from './command.ts'
import { say, value } from './text.ts'

const panel: Command = {
  name: 'panel',
  summary: 'Post a panel with buttons for customers in this channel',
  scope: 'projects:write',
  isPublic: true,
  options: [
    {
      name: 'title',
      summary: 'Title of the panel. Default: the project name',
      kind: 'text',
      longest: 100,
    },
    { name: 'text', summary: 'Text above the buttons', kind: 'text', longest: 1000 },
  ],
  async run({ deps, subject }, { title, text }) {
    const brand = await findBrand(deps, subject.project.id)
    return {
      title: title ?? brand?.name ?? subject.project.name,
      text: say`${value(text ?? 'Redeem your key here, get the script, and reset your device.')}`,
      isPublic: true,
      buttons: [
        { label: 'Redeem key', style: 'main', command: 'redeem' },
        { label: 'My key', command: 'mykey' },
        { label: 'Get script', command: 'script' },
        { label: 'Reset device', command: 'reset' },
        { label: 'Get role', command: 'role' },
        { label: 'Why was I denied?', command: 'denied' },
      ],
    }
  },
}

export const panelCommands: readonly Command[] = [panel]
