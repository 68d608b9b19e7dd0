export const FORM = 'application/x-www-form-urlencoded';
export const FORM_ONLY = `this takes a form: send Content-Type: ${FORM}`;
