export const components = [];
