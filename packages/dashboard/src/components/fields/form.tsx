/** A form on a page. Unsaved input is kept. Forms in dialogs use `FormDialog`. */
import type { FormEventHandler, ReactNode } from 'react'
import { KeptGuard } from '../overlays/dialog.tsx'
import type { KeptInput } from './kept-input.ts'
import { Restored } from './restored.tsx'

type Props = {
  readonly kept: KeptInput
  readonly className?: string | undefined
  readonly noValidate?: boolean
  /** Whether the form has its own button to discard changes. */
  readonly hasDiscard?: boolean
  readonly onSubmit: FormEventHandler<HTMLFormElement>
  readonly children: ReactNode
}

export function Form({ kept, className = 'stack', hasDiscard, children, ...given }: Props) {
  return (
    <form {...given} className={className} data-form={kept.form}>
      <Restored kept={kept} hasDiscard={hasDiscard} />
      {children}
      <KeptGuard kept={kept} />
    </form>
  )
}
