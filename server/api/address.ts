/** The header in which the web server tells its routes who is connected. Whatever a client sends under this name is replaced. */
export const addressHeader = "x-gridloom-address";
