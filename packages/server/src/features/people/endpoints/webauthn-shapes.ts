/** Data that browsers send and receive in a WebAuthn ceremony, in WebAuthn's JSON format. */
import { Type } from 'typebox'
import type { Assertion, NewCredential } from '../sign-in/webauthn.ts'

const MAX_ID = 1400
const MAX_PART = 12_000

const Part = { type: 'string', maxLength: MAX_PART }
const Id = { type: 'string', minLength: 1, maxLength: MAX_ID }

/** Browsers send these fields, but the server ignores them. */
const Extensions = { type: 'object', description: 'extension results, which are ignored' }

const EXAMPLE = { id: 'cHk', rawId: 'cHk', type: 'public-key', clientExtensionResults: {} }

/** WebAuthn `RegistrationResponseJSON`, as returned by `PublicKeyCredential.toJSON()`. */
export const NewCredentialMember = Type.Unsafe<NewCredential>({
  type: 'object',
  required: ['id', 'rawId', 'type', 'response'],
  description: 'WebAuthn RegistrationResponseJSON, as returned by navigator.credentials.create()',
  properties: {
    id: Id,
    rawId: Id,
    type: { type: 'string', enum: ['public-key'], description: 'type of the credential' },
    clientExtensionResults: Extensions,
    response: {
      type: 'object',
      required: ['clientDataJSON', 'attestationObject'],
      properties: { clientDataJSON: Part, attestationObject: Part },
    },
  },
  examples: [{ ...EXAMPLE, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }],
})

/** WebAuthn `AuthenticationResponseJSON`, as returned by `PublicKeyCredential.toJSON()`. */
export const AssertionMember = Type.Unsafe<Assertion>({
  type: 'object',
  required: ['id', 'rawId', 'type', 'response'],
  description: 'WebAuthn AuthenticationResponseJSON, as returned by navigator.credentials.get()',
  properties: {
    id: Id,
    rawId: Id,
    type: { type: 'string', enum: ['public-key'], description: 'type of the credential' },
    clientExtensionResults: Extensions,
    response: {
      type: 'object',
      required: ['clientDataJSON', 'authenticatorData', 'signature'],
      properties: { clientDataJSON: Part, authenticatorData: Part, signature: Part, userHandle: Part },
    },
  },
  examples: [
    {
      ...EXAMPLE,
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle: 'AA' },
    },
  ],
})

export const OptionsMember = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'options for navigator.credentials, in the JSON form of WebAuthn',
  examples: [
    {
      challenge: 'mR3sV8kZ1qW7xT5bJ2nP4g',
      rpId: 'ward.example.com',
      userVerification: 'required',
      timeout: 300_000,
    },
  ],
})
