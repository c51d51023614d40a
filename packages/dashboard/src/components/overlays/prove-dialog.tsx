/**
 * Asks users to confirm their identity before sensitive changes. The pending request is then repeated automatically.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { canUsePasskeys, proveWithPasskey } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'
import type { Me } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { Field, PasswordField } from '../fields/field.tsx'
import { FormDialog } from './dialog.tsx'

type Way = 'password' | 'code' | 'passkey'

export function ProveDialog({ onAnswer }: { onAnswer: (isProved: boolean) => void }) {
  const call = useCall()
  const me = useQueryClient().getQueryData<Me>(['me'])
  const ways = waysOf(me)
  const [way, setWay] = useState<Way>(ways[0] ?? 'password')
  const [given, setProps] = useState('')
  const prove = useChange(async () => {
    if (way === 'password') return auth.confirm(call, { password: given })
    return way === 'code' ? auth.confirm(call, { code: given.trim() }) : proveWithPasskey(call)
  })
  const choose = (chosen: Way) => {
    prove.reset()
    setProps('')
    setWay(chosen)
  }
  const typed = {
    value: given,
    autoFocus: true,
    onChange: (event: { target: { value: string } }) => setProps(event.target.value),
  }
  return (
    <FormDialog
      title={text.proveTitle}
      submit={way === 'passkey' ? text.proveByPasskey : text.confirmIt}
      isPending={prove.isPending}
      error={prove.error}
      onClose={() => onAnswer(false)}
      onSubmit={() => prove.mutate(undefined, { onSuccess: () => onAnswer(true) })}
    >
      <p className="hint">{text.proveIntro}</p>
      {way === 'password' && (
        <PasswordField label={text.password} autoComplete="current-password" {...typed} key="password" />
      )}
      {way === 'code' && (
        <Field
          label={text.code}
          className="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...typed}
          key="code"
        />
      )}
      <div className="bar">
        {ways
          .filter((other) => other !== way)
          .map((other) => (
            <button key={other} type="button" className="link" onClick={() => choose(other)}>
              {WORDS[other]}
            </button>
          ))}
      </div>
    </FormDialog>
  )
}

const WORDS: Readonly<Record<Way, string>> = {
  password: text.proveByPassword,
  code: text.proveByCode,
  passkey: text.proveByPasskey,
}

function waysOf(me: Me | undefined): Way[] {
  const { has_password = true, has_second_factor = false } = me?.person ?? {}
  return [
    ...(has_password ? (['password'] as const) : []),
    ...(has_second_factor ? (['code'] as const) : []),
    ...(canUsePasskeys() ? (['passkey'] as const) : []),
  ]
}
