/* assay-hello: the program that proc.create starts. It does nothing, so that starting it is all there is. */
int main(void)
{
	return 0;
}
