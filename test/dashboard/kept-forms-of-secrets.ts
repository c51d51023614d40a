/**
 * Describes the forms with secrets. Secrets are never stored, so leaving these forms requires confirmation.
 */
import { inProject, type KeptForm, labeled, press } from './kept-form.ts'

const PROFILE = () => '#/profile'

export const LOSSY_FORMS: Readonly<Record<string, KeptForm>> = {
  password: {
    address: PROFILE,
    open: press('Set a password'),
    field: labeled('New password'),
    typed: 'correct horse',
  },
  authenticator: {
    address: PROFILE,
    open: press('Add an authenticator app'),
    field: labeled('Code from the app'),
    typed: '123456',
  },
  webhook: {
    address: inProject('webhooks?new=address'),
    field: labeled('URL'),
    typed: 'https://example.com/hook/secret-token',
  },
  'discord-token': {
    address: inProject('discord?new=token'),
    field: labeled('Bot token'),
    typed: 'MTg0NjUwMTI5Mzc0NjUwMjEz.typed.secret-token',
  },
  'webhook-url': {
    address: inProject('webhooks?new=execution'),
    field: labeled('URL'),
    typed: 'https://example.com/hook/secret-token',
  },
}
